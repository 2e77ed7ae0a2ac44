package plan

import (
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/glob"
)

// filter says which kinds of which clusters the engine leaves alone:
// resource.exclusions and resource.inclusions of argocd-cm.
type filter struct{ exclude, include []filtered }

// filtered is one entry; an empty list matches everything.
type filtered struct {
	Groups   []string `json:"apiGroups"`
	Kinds    []string `json:"kinds"`
	Clusters []string `json:"clusters"`

	groups, clusters []*glob.Pattern
}

func parseFilter(data map[string]string) (f filter, err error) {
	if f.exclude, err = parseFiltered(v1alpha1.SettingExclusions, data); err != nil {
		return f, err
	}
	f.include, err = parseFiltered(v1alpha1.SettingInclusions, data)
	return f, err
}

func parseFiltered(key string, data map[string]string) ([]filtered, error) {
	var list []filtered
	if err := yaml.Unmarshal([]byte(data[key]), &list); err != nil {
		return nil, gitops.UnreadableSetting(key, err)
	}
	for i := range list {
		var err error
		if list[i].groups, err = compile(list[i].Groups); err != nil {
			return nil, gitops.UnreadableSetting(key, err)
		}
		if list[i].clusters, err = compile(servers(list[i].Clusters)); err != nil {
			return nil, gitops.UnreadableSetting(key, err)
		}
	}
	return list, nil
}

// servers are patterns for servers, in which the brackets of an IP address are text.
func servers(patterns []string) []string {
	out := make([]string, len(patterns))
	for i, pattern := range patterns {
		out[i] = gitops.QuoteHost(pattern)
	}
	return out
}

func compile(patterns []string) ([]*glob.Pattern, error) {
	out := make([]*glob.Pattern, 0, len(patterns))
	for _, pattern := range patterns {
		g, err := glob.Compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
		out = append(out, g)
	}
	return out, nil
}

// leavesAlone reports whether a kind is excluded: by name, or because only
// others are included in the cluster. Exclusions win.
func (f *filter) leavesAlone(group, kind, cluster string) bool {
	for i := range f.exclude {
		if f.exclude[i].match(group, kind, cluster) {
			return true
		}
	}
	limited := false
	for i := range f.include {
		if f.include[i].match(group, kind, cluster) {
			return false
		}
		limited = limited || matches(f.include[i].clusters, cluster)
	}
	return limited
}

func (e *filtered) match(group, kind, cluster string) bool {
	return matches(e.groups, group) && e.hasKind(kind) && matches(e.clusters, cluster)
}

func (e *filtered) hasKind(kind string) bool {
	for _, k := range e.Kinds {
		if k == "*" || k == kind {
			return true
		}
	}
	return len(e.Kinds) == 0
}

func matches(list []*glob.Pattern, s string) bool {
	for _, g := range list {
		if g.Match(s) {
			return true
		}
	}
	return len(list) == 0
}

// exclude takes the manifests of kinds out that the engine leaves alone, and says so.
func (s *Set) exclude(manifests []gitops.Manifest) []gitops.Manifest {
	if len(s.settings.excluded.exclude) == 0 && len(s.settings.excluded.include) == 0 {
		return manifests
	}
	out := make([]gitops.Manifest, 0, len(manifests))
	for _, m := range manifests {
		gvk := m.Object.GroupVersionKind()
		if !s.leavesAlone(gitops.KeyOf(m.Object)) {
			out = append(out, m)
			continue
		}
		s.told.Add(gitops.Warning{
			Reason:  v1alpha1.ApplicationConditionExcludedResourceWarning,
			Message: fmt.Sprintf("Resource %s/%s %s is excluded in the settings", gvk.Group, gvk.Kind, m.Object.GetName()), Origin: m.Origin,
		})
	}
	return out
}

func (s *Set) leavesAlone(k gitops.Key) bool {
	return s.settings.LeavesAlone(k.Group, k.Kind, s.server)
}

// LeavesAlone reports whether the settings exclude a kind in a cluster: nothing of it
// is made, changed or deleted.
func (s *Settings) LeavesAlone(group, kind, server string) bool {
	return s != nil && s.excluded.leavesAlone(group, kind, server)
}
