package comment

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// The hosts that --host names.
const (
	hostGitHub = "github"
	hostGitLab = "gitlab"
	hostGitea  = "gitea" // and Forgejo
)

// ownerAndName is how all hosts but GitLab name a repository.
var ownerAndName = regexp.MustCompile(`^[^/]+/[^/]+$`)

var commentHosts = []string{hostGitHub, hostGitLab, hostGitea}

// thread is the discussion of one pull request.
type thread struct {
	host string
	// api is the address of the host's API; the public host's when empty.
	api string
	// repo is owner/name; of GitLab the path or number of a project.
	repo   string
	number int
	// fork tells that the branch is in a repository of somebody else.
	fork  bool
	token access.Secret
}

// noPullRequest is the error of a job that runs for something else.
type noPullRequest struct{ why string }

func (e noPullRequest) Error() string { return "cannot comment: " + e.why + "; name one with --pull" }

// thread is what the flags say, and for the rest what the CI job says. A job's
// word counts at its own host alone.
func (c *commentFlags) thread() (thread, error) {
	job := threadOfJob(c.getenv)
	t := job
	if c.host != "" && c.host != job.host {
		t = thread{host: c.host}
	}
	if c.repo != "" && !strings.EqualFold(c.repo, t.repo) { // no host tells capitals from others
		t.repo, t.fork, t.number = c.repo, false, 0
	}
	if c.pull != 0 && c.pull != t.number {
		t.number, t.fork = c.pull, false
	}
	if c.api != "" {
		t.api = c.api
	}
	if err := c.checkThread(t); err != nil {
		return thread{}, err
	}
	var err error
	t.token, err = c.token(t.host, t.trusts(job))
	return t, err
}

// trusts reports whether the variables which hosts name tokens by are meant for
// where this thread is: in a job the job's own host at the job's own address,
// elsewhere the public host.
func (t thread) trusts(job thread) bool {
	if job.host == "" {
		return t.api == ""
	}
	return t.host == job.host && apiName(t.api) == apiName(job.api)
}

// apiName is an address without what may be left out or written otherwise.
func apiName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	path := strings.TrimRight(u.Path, "/")
	for _, version := range []string{"/api/v1", "/api/v3", "/api/v4"} {
		path = strings.TrimSuffix(path, version)
	}
	return strings.ToLower(u.Scheme+"://"+u.Host) + path
}

func (c *commentFlags) checkThread(t thread) error {
	known := false
	for _, h := range commentHosts {
		known = known || t.host == h
	}
	switch {
	case t.host == "" && c.repo == "" && c.pull == 0:
		return noPullRequest{"this is no CI job of GitHub, GitLab, Gitea or Forgejo, so there is no pull request"}
	case t.host == "":
		return command.Usagef("name the host of the pull request: --host %s", strings.Join(commentHosts, ", "))
	case !known:
		return command.Usagef("cannot comment on the host %q%s; use one of %s", t.host, gitops.DidYouMean(t.host, commentHosts), strings.Join(commentHosts, ", "))
	case t.repo == "":
		return command.Usagef("name the repository of the pull request: --repo owner/name")
	case t.host != hostGitLab && !ownerAndName.MatchString(t.repo):
		return command.Usagef("cannot use the repository %q: write it as owner/name", t.repo)
	case t.number < 0:
		return command.Usagef("cannot use --pull %d: it is the number of a pull request", t.number)
	case t.number == 0:
		return noPullRequest{"this job does not run for a pull request"}
	case t.host == hostGitea && t.api == "":
		return command.Usagef("name the address of the Gitea or Forgejo server: --api https://git.example.com/api/v1")
	}
	return nil
}
