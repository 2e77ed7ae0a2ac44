package hub

import (
	"net/url"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// deepest is how many folders may hold a file, as projects are asked about each.
const deepest = 100

// placesOf are an address and those of the folders in which it lies, up to its
// host; none where they are too many.
func placesOf(address string) []string {
	var places []string
	for at := address; at != "" && strings.Count(address, "/") <= deepest; at = holder(at) {
		places = append(places, at)
	}
	return places
}

// permitsOne reports whether a project permits one of some repositories, and
// denies none.
func permitsOne(p *v1alpha1.AppProject, repoURLs []string) (bool, error) {
	found := false
	for _, at := range repoURLs {
		permits, err := policy.Besides(p, gitops.SourceRef{RepoURL: at})
		if err != nil {
			return false, err
		}
		found = found || permits
	}
	return found, nil
}

// holder is the address of the folder in which something lies; empty for a host.
func holder(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Path == "" || u.Path == "/" {
		return ""
	}
	up := u.JoinPath("..")
	if up.Path == u.Path {
		return ""
	}
	return up.String()
}

// inTooManyFolders is what is read of nothing that lies in more folders than projects are
// asked about: one of those left out may be denied.
func inTooManyFolders(address, project string) error {
	return gitops.Problemf(gitops.Forbidden, "cannot read %s: it lies in more folders than project %q can be asked about", gitops.PublicAddress(address), project).
		Do("serve it from fewer folders")
}
