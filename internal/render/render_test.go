package render_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/directory"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/kustomize"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

const (
	repo = "https://git.example.com/org/repo"
	rev1 = "1111111111111111111111111111111111111111"
	rev2 = "2222222222222222222222222222222222222222"
)

func application(name string, sources ...v1alpha1.ApplicationSource) *v1alpha1.Application {
	app := &v1alpha1.Application{}
	app.Name, app.Namespace = name, "argocd"
	app.Spec.Destination.Namespace = "apps"
	app.Spec.Sources = sources
	return app
}

func at(path string) v1alpha1.ApplicationSource {
	return v1alpha1.ApplicationSource{RepoURL: repo, Path: path, TargetRevision: "main"}
}

func configMap(name, value string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\ndata:\n  key: %q\n", name, value)
}

// monorepo has a folder, a chart, a kustomization and shared values.
func monorepo() treetest.Files {
	return treetest.Files{
		"plain/a.yaml":                   configMap("a", "1"),
		"plain/notes.md":                 "not a manifest",
		"web/Chart.yaml":                 "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"web/values.yaml":                "a: 1\n",
		"web/templates/cm.yaml":          "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\ndata:\n  a: {{ .Values.a | quote }}\n",
		"monitored/Chart.yaml":           "apiVersion: v2\nname: monitored\nversion: 1.0.0\n",
		"monitored/templates/sm.yaml":    "{{ if .Capabilities.APIVersions.Has \"monitoring.coreos.com/v1\" }}\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata:\n  name: m\n{{ end }}\n",
		"overlay/kustomization.yaml":     "resources: [../base]\nnamePrefix: dev-\n",
		"base/kustomization.yaml":        "resources: [cm.yaml]\n",
		"base/cm.yaml":                   configMap("b", "1"),
		"values/dev.yaml":                "a: 2\n",
		"values/prod.yaml":               "a: 3\n",
		"elsewhere/readme.md":            "x",
		"linked/.argocd-source-two.yaml": "directory: {}\n",
		"linked/a.yaml":                  configMap("l", "1"),
	}
}

func helmAt(path string, valueFiles ...string) v1alpha1.ApplicationSource {
	s := at(path)
	s.Helm = &v1alpha1.ApplicationSourceHelm{ValueFiles: valueFiles, IgnoreMissingValueFiles: true}
	return s
}

// TestReuse tells which changes render an application again.
func TestReuse(t *testing.T) {
	withRevision := helmAt("web")
	withRevision.Helm.Parameters = []v1alpha1.HelmParameter{{Name: "a", Value: "$ARGOCD_APP_REVISION_SHORT"}}
	cases := map[string]struct {
		reason  string
		source  v1alpha1.ApplicationSource
		changed string // the file that the second commit changes
		text    string
		facts   gitops.Facts // of the second look
		want    bool         // reused
	}{
		"Elsewhere":        {reason: "a commit elsewhere", source: at("plain"), changed: "elsewhere/readme.md", want: true},
		"Own":              {reason: "a file of the folder", source: at("plain"), changed: "plain/a.yaml", text: configMap("a", "2")},
		"Unread":           {reason: "a file of the folder that is no manifest", source: at("plain"), changed: "plain/notes.md", want: true},
		"Added":            {reason: "a new file in the folder", source: at("plain"), changed: "plain/b.yaml", text: configMap("n", "1")},
		"NewOverride":      {reason: "an override file that was looked for", source: at("plain"), changed: "plain/.argocd-source.yaml", text: "directory: {recurse: true}"},
		"Chart":            {reason: "a template", source: helmAt("web"), changed: "web/templates/cm.yaml", text: configMap("x", "1")},
		"OtherValues":      {reason: "a value file that is not used", source: helmAt("web", "../values/dev.yaml"), changed: "values/prod.yaml", text: "a: 9", want: true},
		"Values":           {reason: "a value file that is used", source: helmAt("web", "../values/dev.yaml"), changed: "values/dev.yaml", text: "a: 9"},
		"MissingValues":    {reason: "a value file that was missing", source: helmAt("web", "../values/new.yaml"), changed: "values/new.yaml", text: "a: 9"},
		"Glob":             {reason: "a new file that a glob matches", source: helmAt("web", "../values/*.yaml"), changed: "values/stage.yaml", text: "a: 9"},
		"GlobElsewhere":    {reason: "a commit beside a glob", source: helmAt("web", "../values/*.yaml"), changed: "elsewhere/readme.md", want: true},
		"Base":             {reason: "a base of the overlay", source: at("overlay"), changed: "base/cm.yaml", text: configMap("b", "2")},
		"OverlayElsewhere": {reason: "a commit beside the overlay and its base", source: at("overlay"), changed: "plain/a.yaml", want: true},
		"Revision":         {reason: "the revision itself is used", source: withRevision, changed: "elsewhere/readme.md"},
		"UnusedFact":       {reason: "a fact that the chart did not ask for", source: helmAt("web"), changed: "elsewhere/readme.md", facts: gitops.Facts{KubeVersion: "1.99.0"}, want: true},
		"OtherAPI":         {reason: "an API version that the chart did not ask for", source: helmAt("monitored"), changed: "elsewhere/readme.md", facts: gitops.Facts{APIVersions: []string{"x/v1"}}, want: true},
		"AskedAPI":         {reason: "an API version that the chart asked for", source: helmAt("monitored"), changed: "elsewhere/readme.md", facts: gitops.Facts{APIVersions: []string{"monitoring.coreos.com/v1"}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := renderers()
			app := application("one", tc.source)
			files := monorepo()
			first := look(t, r, app, treetest.Snapshot(repo, rev1, files), gitops.Facts{})
			text := tc.text
			if text == "" {
				text = "changed"
			}
			second := look(t, r, app, treetest.Snapshot(repo, rev2, files.With(tc.changed, text)), tc.facts)
			if first.Reused || second.Reused != tc.want {
				t.Errorf("%s: reused %v, want %v", tc.reason, second.Reused, tc.want)
			}
			checkRevisions(t, second)
			fresh := look(t, renderers(), app, treetest.Snapshot(repo, rev2, files.With(tc.changed, text)), tc.facts)
			fresh.Reused = second.Reused
			if diff := cmp.Diff(fresh, second); diff != "" {
				t.Errorf("%s: -fresh +second:\n%s", tc.reason, diff)
			}
			if s := r.Stats(); s.Rendered+s.Reused != 2 || s.Kept != 1 || s.Bytes == 0 {
				t.Errorf("%s: stats %+v", tc.reason, s)
			}
		})
	}
}

func checkRevisions(t *testing.T, r *gitops.Rendering) {
	t.Helper()
	if r.Revisions[0] != rev2 {
		t.Errorf("the rendering is of %s", r.Revisions[0])
	}
	for _, m := range r.Manifests {
		if m.Origin.Revision != rev2 {
			t.Errorf("%s comes from %s", m.Key(), m.Origin.Revision)
		}
	}
}

func look(t *testing.T, r *render.Renderer, app *v1alpha1.Application, s *gitops.Snapshot, f gitops.Facts) *gitops.Rendering {
	t.Helper()
	snapshots := make([]*gitops.Snapshot, len(app.Spec.GetSources()))
	for i := range snapshots {
		snapshots[i] = s
	}
	got, err := r.Application(t.Context(), render.Input{App: app, Snapshots: snapshots, Facts: f})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestReuseSpec tells that a changed application is rendered again, and one
// that changed back too: one rendering is kept of each.
func TestReuseSpec(t *testing.T) {
	r := renderers()
	s := treetest.Snapshot(repo, rev1, monorepo())
	one, two := application("one", helmAt("web")), application("one", helmAt("web", "../values/dev.yaml"))
	for i, want := range []struct {
		app    *v1alpha1.Application
		reused bool
	}{{one, false}, {one, true}, {two, false}, {two, true}, {one, false}} {
		if got := look(t, r, want.app, s, gitops.Facts{}); got.Reused != want.reused {
			t.Errorf("look %d: reused %v, want %v", i, got.Reused, want.reused)
		}
	}
	r.Forget("argocd", "one")
	if s := r.Stats(); s.Kept != 0 || s.Bytes != 0 {
		t.Errorf("after Forget: %+v", s)
	}
}

// TestReuseFailure tells that a failure from what was read is kept until
// that changes.
func TestReuseFailure(t *testing.T) {
	r := renderers()
	app := application("one", at("plain"))
	broken := monorepo().With("plain/a.yaml", "apiVersion: v1\nkind: X\nmetadata: {\n")
	for i, s := range []*gitops.Snapshot{
		treetest.Snapshot(repo, rev1, broken),
		treetest.Snapshot(repo, rev2, broken.With("elsewhere/readme.md", "y")),
	} {
		_, err := r.Application(t.Context(), render.Input{App: app, Snapshots: []*gitops.Snapshot{s}})
		var p *gitops.Problem
		if !errors.As(err, &p) || p.Where.Revision != s.Revision || p.Where.File != "plain/a.yaml" {
			t.Errorf("look %d: %v", i, err)
		}
	}
	if got := r.Stats(); got.Rendered != 1 || got.Failed != 1 || got.Reused != 1 {
		t.Errorf("stats %+v", got)
	}
	look(t, r, app, treetest.Snapshot(repo, rev2, monorepo()), gitops.Facts{})
}

// TestCacheBound tells that memory stays within its bound and that packed
// renderings come back the same.
func TestCacheBound(t *testing.T) {
	r := render.New(render.Options{CacheBytes: 64 << 10}, directory.Renderer{})
	big := treetest.Files{"plain/a.yaml": configMap("a", strings.Repeat("x", 2000)), "plain/b.yaml": configMap("b", "1")}
	s := treetest.Snapshot(repo, rev1, big)
	first := look(t, r, application("app-0", at("plain")), s, gitops.Facts{})
	for i := range 6 {
		look(t, r, application(fmt.Sprintf("app-%d", i), at("plain")), s, gitops.Facts{})
	}
	again := look(t, r, application("app-0", at("plain")), s, gitops.Facts{})
	if !again.Reused {
		t.Error("a packed rendering is not reused")
	}
	again.Reused = false
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("a packed rendering differs:\n%s", diff)
	}
	for i := range 200 {
		look(t, r, application(fmt.Sprintf("more-%d", i), at("plain")), s, gitops.Facts{})
	}
	if got := r.Stats(); got.Bytes > 64<<10 || got.Kept < 10 {
		t.Errorf("stats %+v", got)
	}
}

// TestProblems tells that each kind of bad input says what, where and what to do.
func TestProblems(t *testing.T) {
	broken := func(s v1alpha1.ApplicationSource, change func(*v1alpha1.ApplicationSource)) v1alpha1.ApplicationSource {
		change(&s)
		return s
	}
	values := func(v string) func(*v1alpha1.ApplicationSource) {
		return func(s *v1alpha1.ApplicationSource) { s.Helm.Values = v }
	}
	cases := map[string]struct {
		reason string
		source v1alpha1.ApplicationSource
		files  treetest.Files
		want   string // of the text
		where  string
		kind   gitops.ProblemKind
	}{
		"MissingPath":    {"the folders there are told", at("plain/nope"), nil, "cannot find path plain/nope", "plain/nope", gitops.NotFound},
		"NearestFolders": {"the folders there are told", at("nope"), nil, "there are base, elsewhere", "nope", gitops.NotFound},
		"FilePath":       {"a file is no folder", at("plain/a.yaml"), nil, "it is a file", "plain/a.yaml", gitops.Invalid},
		"Template":       {"a template's error has its line", helmAt("web"), treetest.Files{"web/templates/x.yaml": "a: b\nc: {{ fail \"told\" }}\n"}, "told", "web/templates/x.yaml:2", gitops.Invalid},
		"TemplateParse":  {"a template that does not parse", helmAt("web"), treetest.Files{"web/templates/x.yaml": "a: b\n{{ if }}\n"}, "missing value for if", "web/templates/x.yaml:2", gitops.Invalid},
		"Include":        {"the innermost place counts", helmAt("web"), treetest.Files{"web/templates/x.yaml": "{{ include \"h\" . }}", "web/templates/_h.tpl": "\n{{ define \"h\" }}\n{{ .Values.a.b.c }}{{ end }}"}, "can't evaluate field b", "web/templates/_h.tpl:3", gitops.Invalid},
		"Output":         {"a template that gives no YAML", helmAt("web"), treetest.Files{"web/templates/x.yaml": "kind: A\n\tx: y"}, "line 2 of the output", "web/templates/x.yaml:2", gitops.Invalid},
		"ValueFile":      {"a value file that is no YAML has its line", helmAt("web", "../values/dev.yaml"), treetest.Files{"values/dev.yaml": "a: b\nc: [\n"}, "cannot read values/dev.yaml", "values/dev.yaml:2", gitops.Invalid},
		"InlineValues":   {"values in place have a line too", broken(helmAt("web"), values("a: b\nc: [\n")), nil, "helm.values of the application: line 2", "web", gitops.Invalid},
		"ChartYAML":      {"a broken Chart.yaml", helmAt("web"), treetest.Files{"web/Chart.yaml": "name: web\nversion: [\n"}, "cannot read web/Chart.yaml", "web/Chart.yaml:2", gitops.Invalid},
		"Dependency":     {"a dependency that is not vendored", helmAt("web"), treetest.Files{"web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- {name: redis, version: 1.x.x, repository: \"https://charts.example.com\"}\n"}, "cannot build dependency redis 1.x.x of chart web from https://charts.example.com: it is not in charts/", "web/Chart.yaml:5", gitops.NotFound},
		"Kustomization":  {"a missing resource has the line that names it", at("overlay"), treetest.Files{"base/kustomization.yaml": "resources:\n- cm.yaml\n- gone.yaml\n"}, "base/gone.yaml", "base/kustomization.yaml:3", gitops.NotFound},
		"RemoteBase":     {"a remote base where nothing may be read from elsewhere", at("overlay"), treetest.Files{"overlay/kustomization.yaml": "resources:\n- https://user:secret@git.example.com/org/repo//base?ref=v1\n"}, "nothing is read from elsewhere", "overlay/kustomization.yaml:2", gitops.NotFound},
		"RemotePatch":    {"so is a remote patch", at("overlay"), treetest.Files{"overlay/kustomization.yaml": "resources: [../base]\npatches:\n- path: https://git.example.com/p.yaml\n"}, "from elsewhere", "overlay/kustomization.yaml:3", gitops.NotFound},
		"RemotePlugin":   {"and what a plugin's file would fetch", at("overlay"), treetest.Files{"overlay/kustomization.yaml": "resources: [../base]\ngenerators: [g.yaml]\n", "overlay/g.yaml": "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: x}\nfiles: ['a=https://git.example.com/p.yaml']\n"}, "from elsewhere", "overlay/kustomization.yaml", gitops.NotFound},
		"Outside":        {"a base outside the repository", at("overlay"), treetest.Files{"overlay/kustomization.yaml": "resources: [../../x]\n"}, "outside the repository", "overlay/kustomization.yaml:1", gitops.Invalid},
		"OtherFolder":    {"files of other folders are not read", at("overlay"), treetest.Files{"overlay/kustomization.yaml": "resources: [../plain/a.yaml]\n"}, "is outside the folder of the kustomization", "overlay/kustomization.yaml:1", gitops.Invalid},
		"Override":       {"a broken override file", at("plain"), treetest.Files{"plain/.argocd-source.yaml": "directory: 7"}, "cannot merge override file", "plain/.argocd-source.yaml", gitops.Invalid},
		"Jsonnet":        {"a Jsonnet error has its line", at("plain"), treetest.Files{"plain/x.jsonnet": "{\n  a: error 'told',\n}"}, "told", "plain/x.jsonnet:2", gitops.Invalid},
		"Pattern":        {"a pattern that does not parse", broken(at("plain"), func(s *v1alpha1.ApplicationSource) { s.Directory = &v1alpha1.ApplicationSourceDirectory{Include: "[a"} }), nil, "directory.include", "plain", gitops.Invalid},
		"Plugin":         {"plugins are told to be missing", broken(at("plain"), func(s *v1alpha1.ApplicationSource) { s.Plugin = &v1alpha1.ApplicationSourcePlugin{} }), nil, "type Plugin is not supported", "plain", gitops.Invalid},
		"Loop":           {"a list that would take all memory", helmAt("web"), treetest.Files{"web/templates/x.yaml": "{{ range until 1000000000 }}{{ end }}"}, "a list of numbers", "web/templates/x.yaml:1", gitops.Invalid},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			files := monorepo()
			for f, text := range tc.files {
				files = files.With(f, text)
			}
			_, err := renderers().Application(t.Context(), render.Input{App: application("one", tc.source), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, files)}})
			var p *gitops.Problem
			if !errors.As(err, &p) {
				t.Fatalf("%s: got %v, want a problem", tc.reason, err)
			}
			if !strings.Contains(p.Error(), tc.want) || p.Where.String() != tc.where || p.Kind != tc.kind || p.Where.RepoURL != repo || p.Where.Revision != rev1 {
				t.Errorf("%s: got %v at %q (kind %d), want %q at %q (kind %d)", tc.reason, p, p.Where, p.Kind, tc.want, tc.where, tc.kind)
			}
			if strings.Contains(p.Error(), "secret") {
				t.Errorf("%s: the text tells a password: %v", tc.reason, p)
			}
		})
	}
}

// TestLimits tells of files that are too large, too many, and of time.
func TestLimits(t *testing.T) {
	small := render.Limits{Read: record.Limits{FileBytes: 1000, Files: 3}, Bytes: 2000, Time: time.Minute}
	cases := map[string]struct {
		reason string
		files  treetest.Files
		want   string
	}{
		"Large": {"one large file", treetest.Files{"plain/x.yaml": strings.Repeat("x", 2000)}, "more than the limit of 1000 for one file"},
		"Many":  {"many files", treetest.Files{"plain/x.yaml": "a: b", "plain/y.yaml": "a: b", "plain/z.yaml": "a: b"}, "limit of 3 files"},
		"Sum":   {"large together", treetest.Files{"plain/x.yaml": strings.Repeat("#", 990), "plain/y.yaml": strings.Repeat("#", 990)}, "more than 2000 bytes"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			files := monorepo()
			for f, text := range tc.files {
				files = files.With(f, text)
			}
			r := render.New(render.Options{Limits: small}, directory.Renderer{})
			_, err := r.Application(t.Context(), render.Input{App: application("one", at("plain")), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, files)}})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

// TestTime tells that a template that does not end is given up, and that
// the renderer goes on.
func TestTime(t *testing.T) {
	r := render.New(render.Options{Limits: render.Limits{Time: 50 * time.Millisecond}}, helm.New(helm.Options{}), directory.Renderer{})
	files := monorepo().With("web/templates/x.yaml", "{{ range until 3000 }}{{ range until 1000 }}{{ end }}{{ end }}")
	_, err := r.Application(t.Context(), render.Input{App: application("one", helmAt("web")), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, files)}})
	if err == nil || !strings.Contains(err.Error(), "within 50ms") {
		t.Errorf("got %v", err)
	}
	r.Wait()
}

// TestSymlinks tells that links inside the repository are followed, and
// those that leave it are refused.
func TestSymlinks(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"in", "out", "shared"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "shared", "a.yaml"), []byte(configMap("a", "1")), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"in/a.yaml": "../shared/a.yaml", "out/a.yaml": "../../../../../../etc/hostname"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := treetest.Folder(repo, rev1, dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := look(t, renderers(), application("one", at("in")), s, gitops.Facts{}); len(got.Manifests) != 1 {
		t.Errorf("a link inside the repository gives %d manifests", len(got.Manifests))
	}
	_, err = renderers().Application(t.Context(), render.Input{App: application("one", at("out")), Snapshots: []*gitops.Snapshot{s}})
	if err == nil || !strings.Contains(err.Error(), "out/a.yaml") {
		t.Errorf("a link out of the repository: %v", err)
	}
}

// TestWarnings tells what works but is likely a mistake.
func TestWarnings(t *testing.T) {
	src := helmAt("web")
	src.Helm.Values = "host: '{{metadata.labels.zone}}'\ntpl: '{{ .Values.a }}{{ end }}'\n"
	files := monorepo().
		With("plain/a.yaml", configMap("a", "1")+"data:\n  key: twice\n").
		With("plain/b.yaml", "just: a mapping\n").
		With("web/templates/h.yaml", "kind: A\nmetadata:\n  name: h\n  annotations:\n    helm.sh/hook: crd-install\n")
	got := look(t, renderers(), application("one", at("plain"), src), treetest.Snapshot(repo, rev1, files), gitops.Facts{})
	want := []string{"0 DuplicateKey plain/a.yaml:8", "0 SkippedFile plain/b.yaml:1", "1 UnresolvedParameter web", "1 UnknownHook web/templates/h.yaml:1"}
	var have []string
	for _, w := range got.Warnings {
		have = append(have, fmt.Sprintf("%d %s %s", w.Origin.Source, w.Reason, w.Origin))
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("-want +got:\n%s\n%v", diff, got.Warnings)
	}
}

// TestOrigins tells where manifests say they come from.
func TestOrigins(t *testing.T) {
	files := monorepo().With("plain/a.yaml", configMap("a", "1")+"---\n"+configMap("b", "1")).With("web/crds/crd.yaml", "kind: C\nmetadata: {name: c}")
	got := look(t, renderers(), application("one", at("plain"), helmAt("web"), at("overlay")), treetest.Snapshot(repo, rev1, files), gitops.Facts{})
	want := []string{"0 plain/a.yaml:1", "0 plain/a.yaml:8", "1 web/crds/crd.yaml:1", "1 web/templates/cm.yaml:1", "2 base/cm.yaml:1"}
	var have []string
	for _, m := range got.Manifests {
		have = append(have, fmt.Sprintf("%d %s", m.Origin.Source, m.Origin))
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if annotations := got.Manifests[4].Object.GetAnnotations(); annotations != nil {
		t.Errorf("the trace of origins is left in %v", annotations)
	}
}

// TestHelmRepeated tells that a chart from the cache renders as the first time.
func TestHelmRepeated(t *testing.T) {
	files := monorepo().
		With("parent/Chart.yaml", "apiVersion: v2\nname: parent\nversion: 1.0.0\ndependencies:\n- {name: web, version: 1.0.0, alias: one, repository: \"file://../web\"}\n- {name: web, version: 1.0.0, alias: two, condition: two.on, import-values: [{child: sub, parent: imported}], repository: \"file://../web\"}\n").
		With("web/values.yaml", "a: 1\nsub: {x: 1}\n").
		With("parent/values.yaml", "one: {a: 5}\ntwo: {on: true}\n")
	src := at("parent")
	s := treetest.Snapshot(repo, rev1, files)
	r := renderers()
	var first *gitops.Rendering
	for i, on := range []string{"true", "false", "true"} {
		src.Helm = &v1alpha1.ApplicationSourceHelm{ValuesObject: &runtime.RawExtension{Raw: []byte(`{"two":{"on":` + on + `}}`)}}
		got := look(t, r, application("one", src), s, gitops.Facts{})
		if got.Reused {
			t.Fatal("other values are another render")
		}
		if i == 0 {
			first = got
		}
		if want := map[string]int{"true": 2, "false": 1}[on]; len(got.Manifests) != want {
			t.Errorf("%s: %d manifests, want %d", on, len(got.Manifests), want)
		}
		if on == "true" && got.Digest != first.Digest {
			t.Error("the same chart and values give something else")
		}
	}
}

// TestKustomizeSchema tells that a schema of its own is used for one build alone.
func TestKustomizeSchema(t *testing.T) {
	schema := `{"definitions":{"v1.Thing":{"properties":{"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object"},"parts":{"type":"array","items":{"type":"object"},"x-kubernetes-patch-merge-key":"name","x-kubernetes-patch-strategy":"merge"}},"x-kubernetes-group-version-kind":[{"group":"example.com","kind":"Thing","version":"v1"}]}}}`
	files := monorepo().
		With("own/thing.yaml", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\nparts: [{name: a, x: 1}]\n").
		With("own/schema.json", schema).
		With("own/kustomization.yaml", "resources: [thing.yaml]\nopenapi: {path: schema.json}\npatches: [{patch: '{apiVersion: example.com/v1, kind: Thing, metadata: {name: t}, parts: [{name: b, x: 2}]}'}]\n").
		With("common/thing.yaml", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\nparts: [{name: a, x: 1}]\n").
		With("common/kustomization.yaml", "resources: [thing.yaml]\npatches: [{patch: '{apiVersion: example.com/v1, kind: Thing, metadata: {name: t}, parts: [{name: b, x: 2}]}'}]\n")
	s := treetest.Snapshot(repo, rev1, files)
	for _, tc := range []struct {
		path string
		want int
	}{{"common", 1}, {"own", 2}, {"common", 1}} {
		r := render.New(render.Options{}, kustomize.New(kustomize.Options{}))
		got := look(t, r, application("one", at(tc.path)), s, gitops.Facts{})
		if items := got.Manifests[0].Object.Object["parts"].([]any); len(items) != tc.want {
			t.Errorf("%s: %d items, want %d", tc.path, len(items), tc.want)
		}
	}
}
