package render_test

import (
	"context"
	"errors"
	"maps"
	"path"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/directory"
	"github.com/causeway-gitops/causeway/internal/render/kustomize"
	"github.com/causeway-gitops/causeway/internal/render/record"
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

// local is a repository with a kustomization that has a chart in a folder, and one that cannot be read.
func local(home, dependency string) treetest.Files { return localNamed("own", home, dependency) }

func localNamed(name, home, dependency string) treetest.Files {
	return treetest.Files{
		"app/kustomization.yaml":                   "helmGlobals: {chartHome: '" + home + "'}\nhelmCharts: [{name: '" + name + "', version: 1.0.0, valuesInline: {class: '', at: .}}, {name: db, version: 1.0.0, repo: 'https://charts.example.com'}]\n",
		path.Join("app", home, name, "Chart.yaml"): "name: own\nversion: 1.0.0\ndependencies: [{name: lib, version: 1.0.0, repository: '" + dependency + "'}]\n",
		"lib/Chart.yaml":                           "name: lib\nversion: 1.0.0\n",
	}
}

// wide is a text in UTF-16.
func wide(text string) string {
	return "\xff\xfe" + strings.Join(strings.Split(text, ""), "\x00") + "\x00"
}

func pluginAt(path string, values ...string) v1alpha1.ApplicationSource {
	s := at(path)
	s.Plugin = &v1alpha1.ApplicationSourcePlugin{Name: "p"}
	for _, value := range values {
		s.Plugin.Env = append(s.Plugin.Env, v1alpha1.EnvEntry{Name: "A", Value: value})
	}
	return s
}

func ofTheFleet(address string) bool { return strings.Contains(address, "acme/fleet") }

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
		"Moves":               {reason: "a base moves, and a chart cannot be read", source: at("moves"), tree: anchors()},
		"Below":               {reason: "a base of a base moves", source: at("deep"), tree: anchors()},
		"Steady":              {reason: "no base moves", source: at("steady"), tree: anchors(), want: true},
		"Values":              {reason: "values of a chart do", source: at("values"), tree: anchors()},
		"Component":           {reason: "one that the application names does", source: withComponents("steady", movingBase), tree: anchors()},
		"Unrestricted":        {reason: "files may be anywhere, and one names a base that moves", source: at("steady"), tree: anchors(), options: "--load-restrictor LoadRestrictionsNone"},
		"Unfollowed":          {reason: "nobody follows it, and there is no such address", source: at("app"), tree: unfollowable("x.txt", steadyBase+"\n"), want: true},
		"Differs":             {reason: "nobody follows it, and another file is there", source: at("app"), tree: unfollowable("x.txt", "x"), edited: treetest.Files{"y.txt": "y"}},
		"File":                {reason: "a file that may be read has one", source: at("app"), tree: unfollowable("other/g.yaml", "kind: G\n---\nspec: {files: [a="+movingBase+"]}\n")},
		"Escaped":             {reason: "in signs of YAML", source: at("app"), tree: unfollowable("g.yaml", `a: "https://git.example.com/acme/\x66leet//base"`)},
		"Script":              {reason: "in a text that is no YAML", source: at("app"), tree: unfollowable("run.sh", "set -e; a: {{ \nkustomize build 'git@git.example.com:acme/fleet/base' | cat\n")},
		"Words":               {reason: "as a word of a value", source: at("app"), tree: unfollowable("c.yaml", "data:\n  run: |\n    kustomize build github.com/acme/fleet/base\n")},
		"Comment":             {reason: "a comment is read by nobody", source: at("app"), tree: unfollowable("g.yaml", "# see "+movingBase+"\na: 1\n"), want: true},
		"Plugin":              {reason: "a plugin of a tree that is the same", source: pluginAt("plain"), tree: unfollowable("x.txt", "x"), want: true},
		"PluginFile":          {reason: "a plugin may read what a file names", source: pluginAt("plain"), tree: unfollowable("g.yaml", "a: "+movingBase+"\n")},
		"Key":                 {reason: "as a key", source: at("app"), tree: unfollowable("g.yaml", "bases:\n  - 'git@git.example.com:acme/fleet/base': {as: x}\n")},
		"KeyWord":             {reason: "as a word of a key", source: at("app"), tree: unfollowable("g.json", `{"run github.com/acme/fleet/base": 1}`)},
		"Assigned":            {reason: "after a sign of a word", source: at("app"), tree: unfollowable("run.sh", "set -e; a: {{ \nbuild --out=x --from=github.com/acme/fleet/base\n")},
		"AssignedTo":          {reason: "as the value of a variable", source: at("app"), tree: unfollowable("c.yaml", "env: [A=1, REPO=GitHub.com/acme/fleet]\n")},
		"Lock":                {reason: "a plugin may read what locks its sources", source: at("app"), tree: unfollowable("jsonnetfile.lock.json", `{"remote": "https://git.example.com/acme/fleet"}`)},
		"Wide":                {reason: "in letters of two bytes", source: at("app"), tree: unfollowable("g.yaml", wide("a: "+movingBase+"\n"))},
		"Readme":              {reason: "people read it", source: at("app"), tree: unfollowable("docs/README.md", "See "+movingBase+"\n"), want: true},
		"License":             {reason: "and this", source: at("app"), tree: unfollowable("LICENSE", "of "+movingBase+"\n"), want: true},
		"Owners":              {reason: "a host reads it", source: at("app"), tree: unfollowable("CODEOWNERS", "* git@acme/fleet\n"), want: true},
		"Workflow":            {reason: "CI reads it", source: at("app"), tree: unfollowable(".github/workflows/test.yml", "run: git clone "+movingBase+"\n"), want: true},
		"Pipeline":            {reason: "so in GitLab", source: at("app"), tree: unfollowable(".gitlab-ci.yml", "script: git clone "+movingBase+"\n"), want: true},
		"OfTheHost":           {reason: "whose source lies there, who knows what it reads", source: pluginAt(".github/app"), tree: unfollowable(".github/app/a.yaml", "a: "+movingBase+"\n")},
		"Picture":             {reason: "nobody reads text of it", source: at("app"), tree: unfollowable("logo.svg", "<a href='"+movingBase+"'/>\n"), want: true},
		"Binary":              {reason: "nor of a file that has none", source: at("app"), tree: unfollowable("tool", "\x7fELF\x00 "+movingBase+" "), want: true},
		"PluginGiven":         {reason: "in a word that the plugin is told", source: pluginAt("plain", "--from=github.com/acme/fleet/base"), tree: unfollowable("x.txt", "x")},
		"PluginTold":          {reason: "and what it is told", source: pluginAt("plain", movingBase), tree: unfollowable("x.txt", "x")},
		"Unread":              {reason: "of a source that cannot be read nothing is known", source: at("moves"), want: true},
		"UnreadMoves":         {reason: "but of what the application names", source: withComponents("moves", movingBase)},
		"ChartFromBeside":     {reason: "a chart in a folder takes what changes from beside it", source: at("app"), tree: local("charts", "file://../../../lib"), edited: treetest.Files{"lib/templates/x.yaml": "x"}},
		"ChartInAnotherHome":  {reason: "in a folder that is named", source: at("app"), tree: local("../vendor", "file://../../lib"), edited: treetest.Files{"lib/templates/x.yaml": "x"}},
		"ChartByItsName":      {reason: "whose name leads out of the home", source: at("app"), tree: localNamed("../../lib2", "charts", "file://../lib"), edited: treetest.Files{"lib/templates/x.yaml": "x"}},
		"ChartElsewhere":      {reason: "that itself lies elsewhere", source: at("app"), tree: localNamed("../../lib2", "charts", steadyBase), edited: treetest.Files{"lib2/templates/x.yaml": "x"}},
		"ChartOfAVersion":     {reason: "in a folder with the version", source: at("app"), tree: localNamed("own", "charts/own-1.0.0", "file://../../../../lib"), edited: treetest.Files{"lib/templates/x.yaml": "x"}},
		"ChartOfACommonOne":   {reason: "what it takes lies in the folder", source: at("app"), tree: local("charts", "file://../common"), edited: treetest.Files{"lib/templates/x.yaml": "x"}, want: true},
		"ChartOfAMovingPlace": {reason: "what it depends on moves", source: at("app"), tree: local("charts", movingBase)},
		"ChartOfASteadyPlace": {reason: "what it depends on stays, and is elsewhere", source: at("app"), tree: local("charts", steadyBase), edited: treetest.Files{"lib/templates/x.yaml": "x"}, want: true},
	}
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
			if got := renderers().Untouched(t.Context(), a, b, render.NewAddresses(ofTheFleet)); got != tc.want {
				t.Errorf("%s: got %v, want %v", tc.reason, got, tc.want)
			}
			none := func(string) bool { return false }
			if got := renderers().Untouched(t.Context(), a, b, render.NewAddresses(none)); got != (tc.want || tc.edited == nil && name != "OfTheHost") {
				t.Errorf("%s: where nothing moves, got %v", tc.reason, got)
			}
		})
	}
}

// locked opens no file that is encrypted.
type locked struct{}

func (locked) Decrypt(_ context.Context, _ string, text []byte) ([]byte, *record.Encryption, error) {
	if strings.Contains(string(text), "ENC[") {
		return nil, &record.Encryption{Opened: true}, errors.New("no key opens it")
	}
	return text, nil, nil
}

// TestUntouchedBeyondTheLimits: what a render may read at most says nothing of addresses, nor
// does a key that it lacks. Beyond the bound of a look nothing is certain.
func TestUntouchedBeyondTheLimits(t *testing.T) {
	r := render.New(render.Options{Limits: render.Limits{Bytes: 2000, Read: record.Limits{Files: 1, FileBytes: 1000}}, Decrypt: locked{}}, directory.Renderer{}, kustomize.New(kustomize.Options{}))
	for name, tc := range map[string]struct {
		reason, text string
		want         bool
	}{
		"Large":        {"a render would not read it", strings.Repeat("a: "+steadyBase+"\n---\n", 1000), true},
		"LargeMoves":   {"but it has an address", strings.Repeat("a: 1\n---\n", 1000) + "a: " + movingBase + "\n", false},
		"Sealed":       {"it is for another recipient", "a: ENC[x]\nsops: {}\n", true},
		"SealedBeside": {"what is not encrypted in it is text", "a: ENC[x]\nb: " + movingBase + "\nsops: {}\n", false},
		"Beyond":       {"nobody looks through so much", strings.Repeat("a\n", 17<<20), false},
	} {
		t.Run(name, func(t *testing.T) {
			files := unfollowable("z/data.yaml", tc.text)
			a, b := inputs([]v1alpha1.ApplicationSource{pluginAt("plain")}, files, files)
			a.Remotes, b.Remotes = &away{"before"}, &away{"after"}
			if got := r.Untouched(t.Context(), a, b, render.NewAddresses(ofTheFleet)); got != tc.want {
				t.Errorf("%s: got %v, want %v", tc.reason, got, tc.want)
			}
		})
	}
}

// counted counts how often a file of a tree is read.
type counted struct {
	gitops.Tree

	name string
	read atomic.Int64
}

func (c *counted) ReadFile(name string) ([]byte, error) {
	if name == c.name {
		c.read.Add(1)
	}
	return c.Tree.ReadFile(name)
}

// TestUntouchedLooksOnce: for all applications of a comparison a tree is looked through once.
func TestUntouchedLooksOnce(t *testing.T) {
	for text, want := range map[string]bool{"a: " + movingBase: false, "a: " + steadyBase: true} {
		known := render.NewAddresses(ofTheFleet)
		files := unfollowable("other/x.yaml", text)
		a, b := inputs([]v1alpha1.ApplicationSource{pluginAt("plain")}, files, files)
		a.Remotes, b.Remotes = &away{"before"}, &away{"after"}
		tree := &counted{Tree: a.Snapshots[0].Tree, name: "other/x.yaml"}
		a.Snapshots[0].Tree = tree
		for range 3 {
			if got := renderers().Untouched(t.Context(), a, b, known); got != want {
				t.Errorf("%s: got %v", text, got)
			}
		}
		if n := tree.read.Load(); n != 1 {
			t.Errorf("%s: it was read %d times", text, n)
		}
	}
}
