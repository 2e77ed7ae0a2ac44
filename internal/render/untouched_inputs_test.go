package render_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

const (
	movingBase = "https://git.example.com/acme/fleet//base?ref=main"
	steadyBase = "https://git.example.com/acme/bases//web?ref=v1"
	farChart   = "helmCharts: [{name: db, version: 1.0.0, repo: 'https://charts.example.com'}]\n"
)

// anchors is a repository whose tree is the same on both sides.
func anchors() treetest.Files {
	bases := func(all ...string) string { return "resources: ['" + strings.Join(all, "', '") + "']\n" }
	return treetest.Files{
		"moves/kustomization.yaml":  bases(movingBase, steadyBase) + farChart,
		"deep/kustomization.yaml":   bases("../moves"),
		"steady/kustomization.yaml": bases(steadyBase) + farChart,
		"values/kustomization.yaml": "helmCharts: [{name: db, repo: 'https://charts.example.com', additionalValuesFiles: ['" + movingBase + "']}]\n",
	}
}

// unfollowable is a repository with a kustomization that nobody follows, and a file more.
func unfollowable(name, text string) treetest.Files {
	return treetest.Files{
		"app/kustomization.yaml": "transformers: [t.yaml]\nresources: ['" + steadyBase + "']\n", "app/t.yaml": "prefix: x-\n", "plain/a.yaml": configMap("a", "1"), name: text,
	}
}

func pluginAt(path string, values ...string) v1alpha1.ApplicationSource {
	s := at(path)
	s.Plugin = &v1alpha1.ApplicationSourcePlugin{Name: "p"}
	for _, value := range values {
		s.Plugin.Env = append(s.Plugin.Env, v1alpha1.EnvEntry{Name: "A", Value: value})
	}
	return s
}

// TestUntouchedByAddresses: what a render reads at an address that leads to something else
// is touched, however little the tree differs that names it.
func TestUntouchedByAddresses(t *testing.T) {
	tests := map[string]struct {
		reason string
		source v1alpha1.ApplicationSource
		tree   treetest.Files
		// edited is what else the tree has afterwards; options are those of Kustomize.
		edited  treetest.Files
		options string
		want    bool
	}{
		"Moves":        {reason: "a base moves, and a chart cannot be read", source: at("moves"), tree: anchors()},
		"Below":        {reason: "a base of a base moves", source: at("deep"), tree: anchors()},
		"Steady":       {reason: "no base moves", source: at("steady"), tree: anchors(), want: true},
		"Values":       {reason: "values of a chart do", source: at("values"), tree: anchors()},
		"Component":    {reason: "one that the application names does", source: withComponents("steady", movingBase), tree: anchors()},
		"Unrestricted": {reason: "files may be anywhere, and one names a base that moves", source: at("steady"), tree: anchors(), options: "--load-restrictor LoadRestrictionsNone"},
		"Unfollowed":   {reason: "nobody follows it, and there is no such address", source: at("app"), tree: unfollowable("x.txt", steadyBase+"\n"), want: true},
		"Differs":      {reason: "nobody follows it, and another file is there", source: at("app"), tree: unfollowable("x.txt", "x"), edited: treetest.Files{"y.txt": "y"}},
		"File":         {reason: "a file that may be read has one", source: at("app"), tree: unfollowable("other/g.yaml", "kind: G\n---\nspec: {files: [a="+movingBase+"]}\n")},
		"Escaped":      {reason: "in signs of YAML", source: at("app"), tree: unfollowable("g.yaml", `a: "https://git.example.com/acme/\x66leet//base"`)},
		"Script":       {reason: "in a text that is no YAML", source: at("app"), tree: unfollowable("run.sh", "set -e; a: {{ \nkustomize build 'git@git.example.com:acme/fleet/base' | cat\n")},
		"Words":        {reason: "as a word of a value", source: at("app"), tree: unfollowable("c.yaml", "data:\n  run: |\n    kustomize build github.com/acme/fleet/base\n")},
		"Comment":      {reason: "a comment is read by nobody", source: at("app"), tree: unfollowable("g.yaml", "# see "+movingBase+"\na: 1\n"), want: true},
		"Plugin":       {reason: "a plugin of a tree that is the same", source: pluginAt("plain"), tree: unfollowable("x.txt", "x"), want: true},
		"PluginFile":   {reason: "a plugin may read what a file names", source: pluginAt("plain"), tree: unfollowable("g.yaml", "a: "+movingBase+"\n")},
		"PluginTold":   {reason: "and what it is told", source: pluginAt("plain", movingBase), tree: unfollowable("x.txt", "x")},
		"Unread":       {reason: "of a source that cannot be read nothing is known", source: at("moves"), want: true},
		"UnreadMoves":  {reason: "but of what the application names", source: withComponents("moves", movingBase)},
	}
	moves := func(address string) bool { return strings.Contains(address, "acme/fleet") }
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			after := maps.Clone(tc.tree)
			maps.Copy(after, tc.edited)
			a, b := inputs([]v1alpha1.ApplicationSource{tc.source}, tc.tree, after)
			if tc.tree == nil {
				a.Snapshots, b.Snapshots = []*gitops.Snapshot{nil}, []*gitops.Snapshot{nil}
			}
			a.Settings.BuildOptions, b.Settings.BuildOptions = tc.options, tc.options
			a.Remotes, b.Remotes = &away{"before"}, &away{"after"}
			if got := renderers().Untouched(t.Context(), a, b, moves); got != tc.want {
				t.Errorf("%s: got %v, want %v", tc.reason, got, tc.want)
			}
			none := func(string) bool { return false }
			if got := renderers().Untouched(t.Context(), a, b, none); got != (tc.edited == nil) {
				t.Errorf("%s: where nothing moves, got %v", tc.reason, got)
			}
		})
	}
}
