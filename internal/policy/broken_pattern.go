package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/glob"
)

// brokenPatterns are doubts about patterns that nobody can read: they permit
// nothing, and deny everything, which nobody meant.
func brokenPatterns(p *v1alpha1.AppProject) []error {
	d := doubts{project: p.Name}
	d.places(&p.Spec)
	d.kinds(&p.Spec)
	d.syncs(&p.Spec)
	d.orphans(p.Spec.OrphanedResources)
	d.signatures(p.Spec.SourceIntegrity)
	return d.all
}

type doubts struct {
	project string
	all     []error
}

// places are where Applications, their sources and what they deploy may be.
func (d *doubts) places(s *v1alpha1.AppProjectSpec) {
	for i, text := range s.SourceRepos {
		if !strings.HasPrefix(text, own) && !patternOf(strings.TrimPrefix(text, "!")).readable() {
			d.unreadable(entry("sourceRepos", i), text, eitherWay)
		}
	}
	for i, text := range s.SourceNamespaces {
		if !namespaceReadable(text) {
			d.unreadable(entry("sourceNamespaces", i), text, "it permits nothing")
		}
	}
	for i, to := range s.Destinations {
		if strings.HasPrefix(to.Server, own) {
			continue
		}
		d.globs("destinations", i, to.Name, to.Namespace)
		d.servers("destinations", i, eitherWay, to.Server)
	}
}

func (d *doubts) kinds(s *v1alpha1.AppProjectSpec) {
	for i, k := range s.NamespaceResourceWhitelist {
		d.globs("namespaceResourceWhitelist", i, k.Group, k.Kind)
	}
	for i, k := range s.NamespaceResourceBlacklist {
		d.globs("namespaceResourceBlacklist", i, k.Group, k.Kind)
	}
	d.clusterKinds("clusterResourceWhitelist", s.ClusterResourceWhitelist)
	d.clusterKinds("clusterResourceBlacklist", s.ClusterResourceBlacklist)
}

// syncs are when and as whom they run.
func (d *doubts) syncs(s *v1alpha1.AppProjectSpec) {
	for i, w := range s.SyncWindows {
		if w != nil {
			d.globs("syncWindows", i, slices.Concat(w.Applications, w.Namespaces)...)
			d.servers("syncWindows", i, eitherWay, w.Clusters...)
		}
	}
	const refused = "no sync runs that is to act as a service account, to whatever destination"
	for i, a := range s.DestinationServiceAccounts {
		d.servers("destinationServiceAccounts", i, refused, a.Server)
		if broken(a.Namespace) {
			d.unreadable(entry("destinationServiceAccounts", i), a.Namespace, refused)
		}
	}
}

func (d *doubts) orphans(o *v1alpha1.OrphanedResourcesMonitorSettings) {
	if o == nil {
		return
	}
	for i, item := range o.Ignore {
		for _, text := range []string{item.Group, item.Kind, item.Name} {
			if broken(text) {
				d.unreadable(entry("orphanedResources.ignore", i), text, "it ignores nothing")
			}
		}
	}
}

func (d *doubts) signatures(s *v1alpha1.SourceIntegrity) {
	if s == nil || s.Git == nil {
		return
	}
	for i, policy := range s.Git.Policies {
		if policy == nil {
			continue
		}
		for _, r := range policy.Repos {
			if !patternOf(strings.TrimPrefix(r.URL, "!")).readable() {
				d.unreadable(entry("sourceIntegrity.git.policies", i), r.URL, "no Git repository may be used")
			}
		}
	}
}

func (d *doubts) clusterKinds(list string, items []v1alpha1.ClusterResourceRestrictionItem) {
	for i, k := range items {
		d.globs(list, i, k.Group, k.Kind)
		if _, err := path.Match(k.Name, ""); err != nil {
			d.unreadable(entry(list, i), k.Name, eitherWay)
		}
	}
}

func (d *doubts) globs(list string, i int, patterns ...string) {
	for _, text := range patterns {
		if broken(strings.TrimPrefix(text, "!")) {
			d.unreadable(entry(list, i), text, eitherWay)
		}
	}
}

func (d *doubts) servers(list string, i int, effect string, patterns ...string) {
	for _, text := range patterns {
		if !serverOf(strings.TrimPrefix(text, "!")).readable() {
			d.unreadable(entry(list, i), text, effect)
		}
	}
}

// eitherWay is what a broken pattern does in lists that permit and that deny.
const eitherWay = "it permits nothing, and denies everything"

func entry(list string, i int) string { return fmt.Sprintf("spec.%s[%d]", list, i) }

func (d *doubts) unreadable(entry, text, effect string) {
	advice := "correct it: brackets are closed, as in [abc], [!abc] or [a-z]"
	if _, err := glob.Alternatives(text); err != nil {
		advice = err.Error()
	}
	d.all = append(d.all, doubt("%s of project %q has the pattern %q, which nobody can read: %s", entry, d.project, text, effect).Do(advice))
}
