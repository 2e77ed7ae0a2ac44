package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// openingDenies are doubts about lists that name what they permit, and deny something
// besides: what one entry only does not deny it permits, as in Argo CD, so the entries
// that permit say nothing.
func openingDenies(p *v1alpha1.AppProject) (out []error) {
	if i := openingSource(p.Spec.SourceRepos); i >= 0 {
		out = append(out, doubt("spec.sourceRepos[%d] of project %q denies %q and so permits all other repositories, whatever else the list names", i, p.Name, p.Spec.SourceRepos[i]).
			Do(`take it out and name what is permitted more narrowly; if all others are meant, add "*"`))
	}
	if i := openingDestination(p.Spec.Destinations); i >= 0 {
		out = append(out, doubt("spec.destinations[%d] of project %q denies %s, whatever else the list names", i, p.Name, opened(p.Spec.Destinations[i])).
			Do("name the cluster and namespaces that are permitted, or take it out"))
	}
	return out
}

// openingSource finds an entry that denies beside some that permit, but not all; -1 for
// none. The repositories that belong to the project are not listed by anybody.
func openingSource(list []string) int {
	names := func(s string) bool { return !denies(s) && !strings.HasPrefix(s, own) }
	if slices.ContainsFunc(list, everything) || !slices.ContainsFunc(list, names) {
		return -1
	}
	return slices.IndexFunc(list, denies)
}

// openingDestination finds an entry that denies a cluster, or a namespace of every
// cluster, beside others that permit, but not all; -1 for none.
func openingDestination(list []v1alpha1.ApplicationDestination) int {
	names := func(d v1alpha1.ApplicationDestination) bool {
		return !strings.HasPrefix(d.Server, own) && !denies(d.Name) && !denies(d.Server) && !denies(d.Namespace)
	}
	all := func(d v1alpha1.ApplicationDestination) bool { return ofEveryCluster(d) && everything(d.Namespace) }
	if slices.ContainsFunc(list, all) || !slices.ContainsFunc(list, names) {
		return -1
	}
	return slices.IndexFunc(list, func(d v1alpha1.ApplicationDestination) bool { return opened(d) != "" })
}

// opened says what an entry denies, and so what it permits; empty where that is nothing,
// or of the clusters that it names alone.
func opened(d v1alpha1.ApplicationDestination) string {
	switch {
	case denies(d.Name):
		return fmt.Sprintf("cluster %q and so permits the namespaces %q of all others", d.Name, d.Namespace)
	case denies(d.Server):
		return fmt.Sprintf("cluster %q and so permits the namespaces %q of all others", d.Server, d.Namespace)
	case denies(d.Namespace) && ofEveryCluster(d):
		return fmt.Sprintf("namespace %q and so permits all others of every cluster", d.Namespace)
	}
	return ""
}

func ofEveryCluster(d v1alpha1.ApplicationDestination) bool {
	return everything(d.Server) || everything(d.Name)
}

func everything(pattern string) bool { return pattern == "*" || pattern == "**" }
