package policy

import (
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
		d := p.Spec.Destinations[i]
		out = append(out, doubt("spec.destinations[%d] of project %q denies namespace %q and so permits all others of every cluster, whatever else the list names", i, p.Name, d.Namespace).
			Do("write the clusters that it is for, or take it out"))
	}
	return out
}

// openingSource finds an entry that denies beside some that permit, but not all; -1 for
// none. The repositories that belong to the project are not listed by anybody.
func openingSource(list []string) int {
	names := func(s string) bool { return !denies(s) && !strings.HasPrefix(s, own) }
	if slices.Contains(list, "*") || !slices.ContainsFunc(list, names) {
		return -1
	}
	return slices.IndexFunc(list, denies)
}

// openingDestination finds an entry for every cluster that denies a namespace, beside
// others; -1 for none.
func openingDestination(list []v1alpha1.ApplicationDestination) int {
	opens := func(d v1alpha1.ApplicationDestination) bool {
		return denies(d.Namespace) && (d.Server == "*" || d.Name == "*")
	}
	if !slices.ContainsFunc(list, func(d v1alpha1.ApplicationDestination) bool {
		return !strings.HasPrefix(d.Server, own) && !denies(d.Name) && !denies(d.Server) && !denies(d.Namespace)
	}) {
		return -1
	}
	return slices.IndexFunc(list, opens)
}
