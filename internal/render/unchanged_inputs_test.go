package render_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/directory"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/kustomize"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// wider is the monorepo with more ways to refer to files.
func wider() treetest.Files {
	f := monorepo()
	maps.Copy(f, treetest.Files{
		"parent/Chart.yaml":                  "apiVersion: v2\nname: parent\nversion: 1.0.0\ndependencies:\n- {name: web, version: 1.0.0, repository: \"file://../web\"}\n",
		"comp/kustomization.yaml":            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{path: patch.yaml, target: {kind: ConfigMap}}]\n",
		"comp/patch.yaml":                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, labels: {a: b}}\n",
		"deep/overlay/kustomization.yaml":    "resources: [../base]\ncomponents: [../../comp]\nconfigMapGenerator: [{name: g, files: [key=own.txt]}]\n",
		"deep/overlay/own.txt":               "own",
		"deep/base/kustomization.yaml":       "resources: [../../base]\n",
		"plugins/kustomization.yaml":         "resources: [cm.yaml]\ntransformers: [t.yaml]\n",
		"plugins/cm.yaml":                    configMap("p", "1"),
		"plugins/t.yaml":                     "apiVersion: builtin\nkind: PrefixSuffixTransformer\nmetadata: {name: t}\nprefix: x-\nfieldSpecs: [{path: metadata/name}]\n",
		"jsonnet/a.jsonnet":                  "(import '../lib/l.libsonnet')",
		"lib/l.libsonnet":                    "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'j'}}",
		"overridden/.argocd-source.yaml":     "helm: {valueFiles: [../values/prod.yaml]}\n",
		"overridden/Chart.yaml":              "apiVersion: v2\nname: o\nversion: 1.0.0\n",
		"overridden/templates/cm.yaml":       "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: o\ndata: {a: {{ .Values.a | quote }}}\n",
		"revised/.argocd-source-app.yaml":    "helm: {parameters: [{name: a, value: $ARGOCD_APP_REVISION}]}\n",
		"revised/Chart.yaml":                 "apiVersion: v2\nname: r\nversion: 1.0.0\n",
		"revised/templates/cm.yaml":          "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: r\ndata: {a: {{ .Values.a | quote }}}\n",
		"values/file.txt":                    "text",
		"values/clusters/app/values.yaml":    "a: 7\n",
		"values/clusters/other/values.yaml":  "a: 8\n",
		"values/clusters/other/unused.yaml":  "a: 8\n",
		"elsewhere/deep/kustomization.yaml":  "resources: [../../base]\n",
		"elsewhere/deep/.argocd-source.yaml": "{}\n",
	})
	return f
}

func byFile(path, file string) v1alpha1.ApplicationSource {
	s := helmAt(path)
	s.Helm.FileParameters = []v1alpha1.HelmFileParameter{{Name: "a", Path: file}}
	return s
}

func withComponents(path string, components ...string) v1alpha1.ApplicationSource {
	s := at(path)
	s.Kustomize = &v1alpha1.ApplicationSourceKustomize{Components: components, IgnoreMissingComponents: true}
	return s
}

func byRef(name, path string, valueFiles ...string) []v1alpha1.ApplicationSource {
	ref := v1alpha1.ApplicationSource{RepoURL: repo, Ref: name, TargetRevision: "main"}
	return []v1alpha1.ApplicationSource{helmAt(path, valueFiles...), ref}
}

// misleading is the monorepo with names, and ways to write them, that few use.
func misleading() treetest.Files {
	f := wider()
	maps.Copy(f, treetest.Files{
		"long/kustomization.yaml":        "resources: [../" + far + "]\n",
		far + "/kustomization.yaml":      "resources: [cm.yaml]\n",
		far + "/cm.yaml":                 configMap("f", "1"),
		"starred/kustomization.yaml":     "resources: ['a*b']\n",
		"starred/a*b/kustomization.yaml": "resources: [../../base]\n",
		"lines/kustomization.yaml":       "resources: [\"a\\nb\"]\n",
		"lines/a\nb/kustomization.yaml":  "resources: [../../base]\n",
		"case/kustomization.yaml":        "resources: [cm.yaml]\nTransformers: [t.yaml]\n",
		"case/cm.yaml":                   configMap("p", "1"),
		"case/t.yaml":                    f["plugins/t.yaml"],
		"case/Base/kustomization.yaml":   "Resources: [../../base]\n",
		"patched/kustomization.yaml": "resources: [cm.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: |-\n    - op: replace\n      path: /data/a\n      value: '*'\n" +
			"- target: {kind: ConfigMap}\n  patch: '[{\"op\": \"add\", \"path\": \"/data/b\", \"value\": \"" + strings.Repeat("x", 2000) + "\"}]'\n" +
			"patchesStrategicMerge:\n- |-\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: p}\n  data: {c: x=y}\n" +
			"images: [{name: nginx, newName: registry.example.com:5000/nginx, newTag: '1.2'}]\n",
		"patched/cm.yaml":            configMap("p", "1"),
		"remote/kustomization.yaml":  "resources: ['org-1@example.com:o/r']\n",
		"binary/Chart.yaml":          "apiVersion: v2\nname: binary\nversion: 1.0.0\ndependencies:\n- {name: web, version: 1.0.0, repository: !!binary ZmlsZTovLy4uL3dlYg==}\n",
		"remotely/Chart.yaml":        "apiVersion: v2\nname: remotely\nversion: 1.0.0\nDependencies:\n- {Name: web, Version: 1.0.0, Repository: 'https://charts.example.com'}\n",
		"sealed/Chart.yaml":          "apiVersion: v2\nname: sealed\nversion: 1.0.0\n",
		"sealed/.argocd-source.yaml": "helm: {valueFiles: [SEALED]}\n",
		"locked/kustomization.yaml":  "resources: [SEALED]\n",
	})
	return f
}

// far is a folder with a long name.
var far = strings.Repeat(strings.Repeat("f", 200)+"/", 6) + "end"

// unsealing reads what is sealed as a path.
type unsealing string

func (u unsealing) Decrypt(_ context.Context, _ string, text []byte) ([]byte, *record.Encryption, error) {
	return []byte(strings.ReplaceAll(string(text), "SEALED", string(u))), nil, nil
}

// TestUnaffectedByOddNames has what somebody may write to have a change passed over.
func TestUnaffectedByOddNames(t *testing.T) {
	cases := map[string]struct {
		reason  string
		source  v1alpha1.ApplicationSource
		changed string
		sealed  unsealing
		want    bool
	}{
		"Long":        {reason: "a base with a long name", source: at("long"), changed: far + "/cm.yaml"},
		"Pattern":     {reason: "what a folder leads to whose name looks like a pattern", source: at("starred"), changed: "base/cm.yaml"},
		"OwnPattern":  {reason: "a component whose name does", source: withComponents("overlay", "../starred/a*b"), changed: "base/cm.yaml"},
		"Lines":       {reason: "what a folder leads to whose name has two lines", source: at("lines"), changed: "base/cm.yaml"},
		"Case":        {reason: "anything, where a plugin is named in another case", source: at("case"), changed: "elsewhere/readme.md"},
		"CaseOfBases": {reason: "a base that is named in another case", source: at("case/Base"), changed: "base/cm.yaml"},
		"Address":     {reason: "a value file that looks like an address", source: helmAt("web", "../1a://dev.yaml"), changed: "1a:/dev.yaml"},
		"Binary":      {reason: "the chart beside, whose address is written in another way", source: helmAt("binary"), changed: "web/values.yaml"},
		"Sealed":      {reason: "a value file that an encrypted override names", source: at("sealed"), changed: "values/dev.yaml", sealed: "../values/dev.yaml"},
		"Locked":      {reason: "a base that an encrypted kustomization names", source: at("locked"), changed: "base/cm.yaml", sealed: "../base"},
		"Patched":     {reason: "patches in place name no files", source: at("patched"), changed: "elsewhere/readme.md", want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before, after := inputs([]v1alpha1.ApplicationSource{tc.source}, misleading(), misleading().With(tc.changed, "a: 9"))
			r := render.New(render.Options{Decrypt: tc.sealed}, directory.Renderer{}, helm.New(helm.Options{}), kustomize.New(kustomize.Options{}))
			if got := r.Unaffected(t.Context(), before, after); got != tc.want {
				t.Errorf("%s: got %v, want %v", tc.reason, got, tc.want)
			}
		})
	}
}

// puzzled breaks on each source that does not say its type.
type puzzled struct{ fragile }

func (*puzzled) Discover(context.Context, *source.Source) (bool, error) { panic("it breaks") }

// TestUnaffectedWithBrokenLibrary: what breaks there breaks the render of one Application,
// which tells of it.
func TestUnaffectedWithBrokenLibrary(t *testing.T) {
	before, after := inputs([]v1alpha1.ApplicationSource{at("plain")}, monorepo(), monorepo().With("elsewhere/readme.md", "y"))
	if render.New(render.Options{}, &puzzled{}).Unaffected(t.Context(), before, after) {
		t.Error("it cannot tell")
	}
}

// away has snapshots of its own: nothing that lies elsewhere is known to be the same.
type away struct{ side string }

func (away) Snapshot(context.Context, gitops.SourceRef) (*gitops.Snapshot, error) {
	return nil, fs.ErrNotExist
}

func TestUnaffectedElsewhere(t *testing.T) {
	cases := map[string]struct {
		reason string
		source v1alpha1.ApplicationSource
		want   bool
	}{
		"Here":       {"nothing lies elsewhere", at("deep/overlay"), true},
		"Patches":    {"nothing of patches and images does", at("patched"), true},
		"Chart":      {"nor of a chart", helmAt("web"), true},
		"User":       {"a base of a user at a host does", at("remote"), false},
		"Dependency": {"a dependency, in whatever case it is written, does", helmAt("remotely"), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before, after := inputs([]v1alpha1.ApplicationSource{tc.source}, misleading(), misleading().With("elsewhere/readme.md", "changed"))
			before.Remotes, after.Remotes = &away{"before"}, &away{"after"}
			if got := renderers().Unaffected(t.Context(), before, after); got != tc.want {
				t.Errorf("%s: got %v, want %v", tc.reason, got, tc.want)
			}
		})
	}
}

func TestUnaffected(t *testing.T) {
	cases := map[string]struct {
		reason  string
		sources []v1alpha1.ApplicationSource
		changed string
		text    string
		want    bool
	}{
		"Elsewhere":       {"a file elsewhere", []v1alpha1.ApplicationSource{at("plain")}, "elsewhere/readme.md", "", true},
		"Inside":          {"a file of the folder", []v1alpha1.ApplicationSource{at("plain")}, "plain/notes.md", "", false},
		"NewOverride":     {"an override file", []v1alpha1.ApplicationSource{at("plain")}, "plain/.argocd-source-app.yaml", "", false},
		"OtherOverride":   {"an override beside", []v1alpha1.ApplicationSource{at("plain")}, ".argocd-source.yaml", "", true},
		"Chart":           {"a chart's template", []v1alpha1.ApplicationSource{helmAt("web")}, "web/templates/x.yaml", "", false},
		"ChartElsewhere":  {"a file beside a chart", []v1alpha1.ApplicationSource{helmAt("web")}, "values/dev.yaml", "", true},
		"Values":          {"a value file", []v1alpha1.ApplicationSource{helmAt("web", "../values/dev.yaml")}, "values/dev.yaml", "a: 9", false},
		"OtherValues":     {"another value file", []v1alpha1.ApplicationSource{helmAt("web", "../values/dev.yaml")}, "values/prod.yaml", "a: 9", true},
		"RootValues":      {"a value file from the root", []v1alpha1.ApplicationSource{helmAt("web", "/values/dev.yaml")}, "values/dev.yaml", "a: 9", false},
		"MissingValues":   {"a value file that was missing", []v1alpha1.ApplicationSource{helmAt("web", "../values/new.yaml")}, "values/new.yaml", "a: 9", false},
		"NameInValues":    {"a value file by the application's name", []v1alpha1.ApplicationSource{helmAt("web", "../values/clusters/$ARGOCD_APP_NAME/values.yaml")}, "values/clusters/app/values.yaml", "a: 9", false},
		"OtherName":       {"that of another application", []v1alpha1.ApplicationSource{helmAt("web", "../values/clusters/$ARGOCD_APP_NAME/values.yaml")}, "values/clusters/other/values.yaml", "a: 9", true},
		"Glob":            {"a file that a pattern may match", []v1alpha1.ApplicationSource{helmAt("web", "../values/*.yaml")}, "values/new.yaml", "a: 9", false},
		"GlobElsewhere":   {"a file that it cannot match", []v1alpha1.ApplicationSource{helmAt("web", "../values/*.yaml")}, "plain/a.yaml", "a: 9", true},
		"GlobBeginning":   {"a pattern in a folder's name", []v1alpha1.ApplicationSource{helmAt("web", "../val*/dev.yaml")}, "valid/dev.yaml", "a: 9", false},
		"FileParameter":   {"the file of a parameter", []v1alpha1.ApplicationSource{byFile("web", "../values/file.txt")}, "values/file.txt", "", false},
		"Ref":             {"a file by reference", byRef("v", "web", "$v/values/dev.yaml"), "values/dev.yaml", "a: 9", false},
		"RefOther":        {"a file beside that", byRef("v", "web", "$v/values/dev.yaml"), "values/prod.yaml", "a: 9", true},
		"LocalDependency": {"the chart beside that a chart takes", []v1alpha1.ApplicationSource{helmAt("parent")}, "web/values.yaml", "a: 9", false},
		"Base":            {"a base", []v1alpha1.ApplicationSource{at("overlay")}, "base/cm.yaml", configMap("b", "2"), false},
		"BaseOfBase":      {"a base of a base", []v1alpha1.ApplicationSource{at("deep/overlay")}, "base/cm.yaml", configMap("b", "2"), false},
		"Component":       {"a component", []v1alpha1.ApplicationSource{at("deep/overlay")}, "comp/patch.yaml", "", false},
		"OwnComponent":    {"a component of the application", []v1alpha1.ApplicationSource{withComponents("overlay", "../comp")}, "comp/patch.yaml", "", false},
		"NewComponent":    {"one that was missing", []v1alpha1.ApplicationSource{withComponents("overlay", "../new")}, "new/kustomization.yaml", "", false},
		"BesideBase":      {"a file beside bases", []v1alpha1.ApplicationSource{at("deep/overlay")}, "plain/a.yaml", "", true},
		"Transformers":    {"anything, where a plugin's file may name more", []v1alpha1.ApplicationSource{at("plugins")}, "elsewhere/readme.md", "", false},
		"Jsonnet":         {"anything, where Jsonnet may import it", []v1alpha1.ApplicationSource{at("jsonnet")}, "elsewhere/readme.md", "", false},
		"Overridden":      {"the value file that an override names", []v1alpha1.ApplicationSource{at("overridden")}, "values/prod.yaml", "a: 9", false},
		"Revision":        {"anything, where an override uses the revision", []v1alpha1.ApplicationSource{at("revised")}, "elsewhere/readme.md", "", false},
		"Missing":         {"a folder that is not there", []v1alpha1.ApplicationSource{at("nope")}, "elsewhere/readme.md", "", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text := tc.text
			if text == "" {
				text = "changed"
			}
			before, after := inputs(tc.sources, wider(), wider().With(tc.changed, text))
			r := renderers()
			if got := r.Unaffected(t.Context(), before, after); got != tc.want {
				t.Errorf("%s: got %v, want %v", tc.reason, got, tc.want)
			}
			if s := r.Stats(); s.Rendered != 0 {
				t.Errorf("%s: it rendered", tc.reason)
			}
			same, other := inputs(tc.sources, wider(), wider())
			other.App = other.App.DeepCopy()
			other.App.Spec.Destination.Namespace = "another"
			if r.Unaffected(t.Context(), same, other) {
				t.Errorf("%s: another namespace may matter", tc.reason)
			}
			same.Facts.KubeVersion = "1.99.0"
			if r.Unaffected(t.Context(), before, same) {
				t.Errorf("%s: other facts may matter", tc.reason)
			}
		})
	}
}

// inputs are one application at two contents of the repository.
func inputs(sources []v1alpha1.ApplicationSource, before, after treetest.Files) (a, b render.Input) {
	app := application("app", sources...)
	a, b = render.Input{App: app}, render.Input{App: app}
	one, two := treetest.Snapshot(repo, rev1, before), treetest.Snapshot(repo, rev2, after)
	for range sources {
		a.Snapshots, b.Snapshots = append(a.Snapshots, one), append(b.Snapshots, two)
	}
	return a, b
}

// TestUnaffectedIsTrue edits a repository at random: whenever nothing can
// have changed, both render the same, and whenever what was rendered names
// no changed file, it does, too.
func TestUnaffectedIsTrue(t *testing.T) {
	sources := [][]v1alpha1.ApplicationSource{
		{at("plain")}, {helmAt("web")}, {helmAt("web", "../values/dev.yaml", "/values/*.yaml")}, {helmAt("parent")}, byRef("v", "web", "$v/values/clusters/**/values.yaml"),
		{byFile("web", "../values/file.txt")}, {at("overlay")}, {at("deep/overlay")}, {withComponents("overlay", "../comp", "../new")}, {at("plugins")}, {at("jsonnet")},
		{at("overridden")}, {at("revised")}, {at("base"), at("plain")}, {at("elsewhere/deep")},
	}
	texts := []string{"", "a: 5\n", configMap("n", "2"), "{}\n", "resources: [../base]\n", "resources: [../../base]\ncomponents: [../comp]\n", "helm: {valueFiles: [/values/prod.yaml]}\n"}
	names := []string{"plain/b.yaml", "values/new.yaml", "new/kustomization.yaml", "web/.argocd-source.yaml", "overlay/.argocd-source-app.yaml", "base/kustomization.yml", "kustomization.yaml", "web/charts/x/Chart.yaml"}
	random := rand.New(rand.NewPCG(1, 2))
	sure, same := 0, 0
	for range 60 {
		before := wider()
		after := maps.Clone(before)
		all := append(slices.Sorted(maps.Keys(before)), names...)
		for range 1 + random.IntN(3) {
			name := all[random.IntN(len(all))]
			if text := texts[random.IntN(len(texts))]; text != "" {
				after[name] = text
				continue
			}
			delete(after, name)
		}
		for i, s := range sources {
			a, b := inputs(s, before, after)
			r := renderers()
			unaffected := r.Unaffected(t.Context(), a, b)
			first, second := outcome(t, r, a), outcome(t, renderers(), b)
			if first == second {
				same++
			}
			if unaffected {
				sure++
			}
			if unaffected && first != second {
				t.Errorf("source %d: said to be unaffected by %s:\n%s\n%s", i, cmp.Diff(before, after), first, second)
			}
			if r.Unaffected(t.Context(), a, b) && first != second {
				t.Errorf("source %d: by what is kept it is not affected by %s", i, cmp.Diff(before, after))
			}
			changed, ok := r.Changed(t.Context(), a, b)
			if ok && len(changed) == 0 && first != second {
				t.Errorf("source %d: nothing that it read changed, by %s", i, cmp.Diff(before, after))
			}
		}
	}
	t.Logf("%d of %d renders that are the same were told before", sure, same)
	if sure < same/3 {
		t.Errorf("only %d of %d are told", sure, same)
	}
}

// outcome is the digest of a rendering, or the text of its error.
func outcome(t *testing.T, r *render.Renderer, in render.Input) string {
	t.Helper()
	got, err := r.Application(t.Context(), in)
	if err != nil {
		return "error" // its text has the revision in it
	}
	return got.Digest
}

func TestChangedAndReads(t *testing.T) {
	withRevision := helmAt("web")
	withRevision.Helm.Parameters = []v1alpha1.HelmParameter{{Name: "a", Value: "$ARGOCD_APP_REVISION"}}
	cases := map[string]struct {
		reason  string
		sources []v1alpha1.ApplicationSource
		edits   treetest.Files
		want    []string
	}{
		"Nothing":  {"a file elsewhere", []v1alpha1.ApplicationSource{at("plain")}, treetest.Files{"elsewhere/readme.md": "y"}, nil},
		"File":     {"a manifest", []v1alpha1.ApplicationSource{at("plain")}, treetest.Files{"plain/a.yaml": configMap("a", "2")}, []string{"0 plain/a.yaml"}},
		"New":      {"a new manifest", []v1alpha1.ApplicationSource{at("plain")}, treetest.Files{"plain/b.yaml": configMap("b", "2")}, []string{"0 plain/b.yaml"}},
		"Template": {"a template of a chart", []v1alpha1.ApplicationSource{helmAt("web", "../values/dev.yaml")}, treetest.Files{"web/templates/cm.yaml": "", "values/prod.yaml": "a: 9"}, []string{"0 web/templates/cm.yaml"}},
		"Values":   {"a value file", []v1alpha1.ApplicationSource{helmAt("web", "../values/dev.yaml")}, treetest.Files{"values/dev.yaml": "a: 9"}, []string{"0 values/dev.yaml"}},
		"Base":     {"a base", []v1alpha1.ApplicationSource{at("plain"), at("overlay")}, treetest.Files{"base/cm.yaml": configMap("b", "9")}, []string{"1 base/cm.yaml"}},
		"Revision": {"the revision", []v1alpha1.ApplicationSource{withRevision}, treetest.Files{"elsewhere/readme.md": "y"}, []string{"0 "}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			edited := monorepo()
			maps.Copy(edited, tc.edits)
			before, after := inputs(tc.sources, monorepo(), edited)
			r := renderers()
			if _, ok := r.Changed(t.Context(), before, after); ok {
				t.Errorf("%s: nothing is kept yet", tc.reason)
			}
			outcome(t, r, before)
			checkChanged(t, r, before, after, tc.reason, tc.want)
			outcome(t, r, after)
			checkChanged(t, r, before, after, tc.reason+", after both were rendered", tc.want)
		})
	}
	in, _ := inputs([]v1alpha1.ApplicationSource{helmAt("web", "../values/dev.yaml")}, monorepo(), monorepo())
	reads, err := renderers().Reads(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, o := range reads {
		if o.RepoURL != repo || o.Revision != rev1 {
			t.Errorf("got %+v", o)
		}
		files = append(files, o.File)
	}
	for _, want := range []string{"values/dev.yaml", "web/"} {
		if !slices.Contains(files, want) {
			t.Errorf("%s was read; told are %v", want, files)
		}
	}
}

// TestUnaffectedByWhatIsKept tells that what a rendering read is a better
// witness than the spec alone.
func TestUnaffectedByWhatIsKept(t *testing.T) {
	cases := map[string]struct {
		reason  string
		source  v1alpha1.ApplicationSource
		changed string
		want    bool
	}{
		"Unread":   {"a file of the folder that is no manifest", at("plain"), "plain/notes.md", true},
		"Read":     {"a file that was read", at("plain"), "plain/a.yaml", false},
		"Jsonnet":  {"a file that Jsonnet did not import", at("jsonnet"), "elsewhere/readme.md", true},
		"Imported": {"one that it did", at("jsonnet"), "lib/l.libsonnet", false},
		"Failed":   {"a failure is to be told again", at("nope"), "elsewhere/readme.md", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before, after := inputs([]v1alpha1.ApplicationSource{tc.source}, wider(), wider().With(tc.changed, "changed"))
			r := renderers()
			outcome(t, r, before)
			if got := r.Unaffected(t.Context(), before, after); got != tc.want {
				t.Errorf("%s: got %v, want %v", tc.reason, got, tc.want)
			}
		})
	}
}

func checkChanged(t *testing.T, r *render.Renderer, before, after render.Input, reason string, want []string) {
	t.Helper()
	changed, ok := r.Changed(t.Context(), before, after)
	var got []string
	for _, o := range changed {
		got = append(got, fmt.Sprintf("%d %s", o.Source, o.File))
		if o.RepoURL != repo || o.Revision != rev2 {
			t.Errorf("%s: got %+v", reason, o)
		}
	}
	if d := cmp.Diff(want, got); d != "" || !ok {
		t.Errorf("%s: %v %s", reason, ok, d)
	}
}
