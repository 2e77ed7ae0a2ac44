package policy

import (
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// own marks the address of a cluster or a repository that belongs to a project.
// Such an address is compared, and never read as a pattern: who writes it may be
// somebody else than who says what the project permits. No address begins so.
const own = "\x00"

// WithOwn lets a copy of a project use the clusters and repositories whose
// Secrets belong to it.
func WithOwn(p *v1alpha1.AppProject, clusters []gitops.Cluster, repos []string) *v1alpha1.AppProject {
	destinations := ownDestinations(p.Name, clusters)
	if len(destinations)+len(repos) == 0 {
		return p
	}
	sources := make([]string, 0, len(repos))
	for _, url := range repos {
		sources = append(sources, own+url)
	}
	out := p.DeepCopy()
	out.Spec.Destinations = append(out.Spec.Destinations, added(out.Spec.Destinations, destinations)...)
	out.Spec.SourceRepos = append(out.Spec.SourceRepos, added(out.Spec.SourceRepos, sources)...)
	return out
}

func ownDestinations(project string, clusters []gitops.Cluster) []v1alpha1.ApplicationDestination {
	var out []v1alpha1.ApplicationDestination
	for i := range clusters {
		c := &clusters[i]
		if c.Project != project || c.Server == "" {
			continue
		}
		namespaces := c.Namespaces
		if len(namespaces) == 0 {
			namespaces = []string{anyNamespace}
		}
		for _, namespace := range namespaces {
			out = append(out, v1alpha1.ApplicationDestination{Server: own + c.Server, Namespace: namespace})
		}
	}
	return out
}

// anyNamespace is the namespace of a cluster that is not limited to some.
const anyNamespace = "*"

// ownServer reports whether a destination is that of a project's own cluster, and
// whether it is where a target is.
func ownServer(d v1alpha1.ApplicationDestination, t Target) (permitted, is bool) {
	server, is := strings.CutPrefix(d.Server, own)
	if !is || t.Server == "" {
		return false, is
	}
	return gitops.SameServer(server, t.Server) && (d.Namespace == anyNamespace || d.Namespace == t.Namespace), true
}

// ownSource reports whether an entry is a project's own repository, and whether it
// is the one that is asked for, by the same way and host.
func ownSource(entry string, asked repository, unreadable error) (permitted, is bool) {
	url, is := strings.CutPrefix(entry, own)
	if !is || unreadable != nil {
		return false, is
	}
	mine, err := repositoryOf(url)
	return err == nil && mine.Canonical == asked.Canonical, true
}
