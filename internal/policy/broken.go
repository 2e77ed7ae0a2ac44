package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// brokenPatterns are doubts about patterns that nobody can read: they permit
// nothing, and deny everything, which nobody meant.
func brokenPatterns(p *v1alpha1.AppProject) []error {
	s := &p.Spec
	d := doubts{project: p.Name}
	for i, text := range s.SourceRepos {
		d.globs("sourceRepos", i, text)
	}
	for i, to := range s.Destinations {
		d.globs("destinations", i, to.Name, to.Server, to.Namespace)
	}
	for i, k := range s.NamespaceResourceWhitelist {
		d.globs("namespaceResourceWhitelist", i, k.Group, k.Kind)
	}
	for i, k := range s.NamespaceResourceBlacklist {
		d.globs("namespaceResourceBlacklist", i, k.Group, k.Kind)
	}
	d.clusterKinds("clusterResourceWhitelist", s.ClusterResourceWhitelist)
	d.clusterKinds("clusterResourceBlacklist", s.ClusterResourceBlacklist)
	for i, w := range s.SyncWindows {
		if w != nil {
			d.globs("syncWindows", i, slices.Concat(w.Applications, w.Namespaces, w.Clusters)...)
		}
	}
	return d.all
}

type doubts struct {
	project string
	all     []error
}

func (d *doubts) clusterKinds(list string, items []v1alpha1.ClusterResourceRestrictionItem) {
	for i, k := range items {
		d.globs(list, i, k.Group, k.Kind)
		if _, err := path.Match(k.Name, ""); err != nil {
			d.unreadable(list, i, k.Name)
		}
	}
}

func (d *doubts) globs(list string, i int, patterns ...string) {
	for _, text := range patterns {
		if broken(strings.TrimPrefix(text, "!")) {
			d.unreadable(list, i, text)
		}
	}
}

func (d *doubts) unreadable(list string, i int, text string) {
	d.all = append(d.all, doubt("spec.%s[%d] of project %q has the pattern %q, which nobody can read: it permits nothing, and denies everything", list, i, d.project, text).
		Do("correct it: brackets are closed, as in [abc], [!abc] or [a-z]"))
}
