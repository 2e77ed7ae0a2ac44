package policy

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// GlobalProject says that the projects with some labels have the rules of
// another one, too.
type GlobalProject struct {
	ProjectName   string               `json:"projectName"`
	LabelSelector metav1.LabelSelector `json:"labelSelector"`
}

// ParseGlobals reads the key globalProjects of argocd-cm.
func ParseGlobals(text string) ([]GlobalProject, error) {
	var out []GlobalProject
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read globalProjects of ConfigMap %s: %w", v1alpha1.SettingsName, err).
			Do("write a list of entries with projectName and labelSelector")
	}
	return out, nil
}

// Globals are the names of the projects whose rules a project has, too.
func Globals(p *v1alpha1.AppProject, all []GlobalProject) ([]string, error) {
	var out []string
	for _, g := range all {
		selector, err := metav1.LabelSelectorAsSelector(&g.LabelSelector)
		if err != nil {
			return nil, gitops.Problemf(gitops.Invalid, "cannot read the labelSelector of %q in globalProjects: %w", g.ProjectName, err).Do("correct ConfigMap " + v1alpha1.SettingsName)
		}
		if g.ProjectName != p.Name && selector.Matches(labels.Set(p.Labels)) {
			out = append(out, g.ProjectName)
		}
	}
	return out, nil
}

// Inherit adds the rules of a global project to a copy of a project.
func Inherit(p, global *v1alpha1.AppProject) *v1alpha1.AppProject {
	out := p.DeepCopy()
	to, from := &out.Spec, global.DeepCopy().Spec
	to.ClusterResourceWhitelist = append(to.ClusterResourceWhitelist, added(to.ClusterResourceWhitelist, from.ClusterResourceWhitelist)...)
	to.ClusterResourceBlacklist = append(to.ClusterResourceBlacklist, added(to.ClusterResourceBlacklist, from.ClusterResourceBlacklist)...)
	to.NamespaceResourceWhitelist = append(to.NamespaceResourceWhitelist, added(to.NamespaceResourceWhitelist, from.NamespaceResourceWhitelist)...)
	to.NamespaceResourceBlacklist = append(to.NamespaceResourceBlacklist, added(to.NamespaceResourceBlacklist, from.NamespaceResourceBlacklist)...)
	to.SyncWindows = append(to.SyncWindows, from.SyncWindows...)
	to.SourceRepos = append(to.SourceRepos, added(to.SourceRepos, from.SourceRepos)...)
	to.Destinations = append(to.Destinations, added(to.Destinations, from.Destinations)...)
	return out
}

// added are the new ones that are not there yet.
func added[T comparable](old, more []T) []T {
	seen := map[T]bool{}
	for _, v := range old {
		seen[v] = true
	}
	var out []T
	for _, v := range more {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}
