package policy

import (
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Source checks a repository. A deny matches every other repository, so that a
// list of denies alone permits all the rest.
func Source(p *v1alpha1.AppProject, repoURL string) error {
	repo := normalise(repoURL)
	found, refused := false, ""
	for _, pattern := range p.Spec.SourceRepos {
		permitted := permits(pattern, repo)
		found = found || permitted
		if !permitted && denies(pattern) {
			refused = pattern
		}
	}
	switch {
	case refused != "":
		return denied("cannot use repository %s: %q in spec.sourceRepos of project %q denies it", repoURL, refused, p.Name).
			Do("use another repository or project")
	case !found:
		return denied("cannot use repository %s: project %q does not permit it", repoURL, p.Name).
			Do("add it to spec.sourceRepos of the project")
	}
	return nil
}

func permits(pattern, repo string) bool {
	if pattern == "*" {
		return true
	}
	if rest, deny := strings.CutPrefix(pattern, "!"); deny {
		return !match(normalise(rest), repo, '/')
	}
	return match(normalise(pattern), repo, '/')
}

// normalise brings the forms of one repository's address together: case, the
// end ".git", and the two forms of ssh.
func normalise(repoURL string) string {
	u := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(repoURL)), ".git")
	rest, ssh := strings.CutPrefix(u, "ssh://")
	if !ssh && (strings.Contains(u, "://") || !strings.Contains(u, "@")) {
		return u
	}
	// user@host:path is user@host/path; a port stays.
	host, path, ok := strings.Cut(rest, ":")
	if !ok || strings.Contains(host, "/") || startsWithPort(path) {
		return rest
	}
	return host + "/" + path
}

func startsWithPort(s string) bool {
	port, _, ok := strings.Cut(s, "/")
	return ok && port != "" && strings.Trim(port, "0123456789") == ""
}
