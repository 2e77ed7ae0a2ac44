package plugin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/process"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

const (
	revision = "0123456789abcdef0123456789abcdef01234567"
	origin   = "https://git.example.com/r"
)

func repository() treetest.Files {
	return treetest.Files{
		"apps/web/in.txt": "web", "apps/web/sub/s1.cue": "x", "apps/other/in.txt": "other",
		"lib/base.txt": "base", "top.txt": "top", "apps/web/run.sh": "#!/bin/sh\necho 'kind: FromScript\nmetadata: {name: x}'\n",
	}
}

// at is a source in apps/web.
func at(t *testing.T, s *gitops.Snapshot, spec *v1alpha1.ApplicationSourcePlugin) *source.Source {
	t.Helper()
	tree := record.Wrap(t.Context(), s, record.Limits{})
	return &source.Source{
		Name: "web", Tree: tree, Path: "apps/web", Spec: v1alpha1.ApplicationSource{Plugin: spec},
		Env: environ.Env{"ARGOCD_APP_NAME": environ.Text("web"), "ARGOCD_APP_REVISION": tree.Revision, "ARGOCD_APP_REVISION_SHORT": tree.Revision, "KUBE_VERSION": environ.Text("1.36.1")},
	}
}

func web(t *testing.T, spec *v1alpha1.ApplicationSourcePlugin) *source.Source {
	t.Helper()
	return at(t, treetest.Snapshot(origin, revision, repository()), spec)
}

func shell(name, script string) Plugin {
	return Plugin{Name: name, Generate: Command{[]string{"sh", "-c"}, []string{script}}, File: "x.yaml", Line: 1}
}

func renderer(t *testing.T, o Options) *Renderer {
	t.Helper()
	o.TempDir = t.TempDir()
	t.Cleanup(func() {
		left, err := os.ReadDir(o.TempDir)
		if err != nil || len(left) > 0 {
			t.Errorf("left in the temporary folder: %v, %v", left, err)
		}
	})
	return unclean(o)
}

// unclean is a Renderer whose folders nobody looks at afterwards.
func unclean(o Options) *Renderer { return New(o.Plugins, NewRunner(o)) }

func named(name string) *v1alpha1.ApplicationSourcePlugin {
	return &v1alpha1.ApplicationSourcePlugin{Name: name}
}

// configMap prints a text as the data of an object.
const configMap = `printf '{"kind":"ConfigMap","metadata":{"name":"x"},"data":{"v":"%s"}}' "$(`

func valueOf(t *testing.T, r *Renderer, s *source.Source) string {
	t.Helper()
	got, err := r.Render(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 {
		t.Fatalf("%d objects", len(got))
	}
	return got[0].Object.Object["data"].(map[string]any)["v"].(string)
}

func TestRender(t *testing.T) {
	p := shell("p", `cat in.txt ../../lib/base.txt >&2; cat made.txt; printf 'kind: List\nitems:\n- {kind: B}\n- {kind: C}\n'`)
	p.Init = Command{Command: []string{"sh", "-c", "echo noise; printf 'kind: A\n---\n' > made.txt"}}
	r := renderer(t, Options{Plugins: []Plugin{p}})
	s := web(t, named("p"))
	got, err := r.Render(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, m := range got {
		kinds = append(kinds, m.Object.GetKind())
		if m.Origin.File != "apps/web" || m.Origin.RepoURL != origin || m.Origin.Revision != revision {
			t.Errorf("origin is %+v", m.Origin)
		}
	}
	if diff := cmp.Diff([]string{"A", "B", "C"}, kinds); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !s.Tree.Secret() {
		t.Error("what a plugin prints may be secret")
	}
	if s.Tree.Log(".").Holds(treetest.Snapshot(origin, revision, repository().With("top.txt", "new"))) {
		t.Error("a change anywhere counts")
	}
}

// TestEnvironment tells the variables of a command: Argo CD's and no others.
func TestEnvironment(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "of the engine")
	text := "v"
	spec := &v1alpha1.ApplicationSourcePlugin{
		Name: "p",
		Env:  v1alpha1.Env{{Name: "FOO", Value: "$ARGOCD_APP_NAME-$$1"}, {Name: "EMPTY"}},
		Parameters: []v1alpha1.ApplicationSourcePluginParameter{
			{Name: "some-string", String: &text},
			{Name: "list", Array: []string{"a", "b"}},
			{Name: "map", Map: map[string]string{"image.tag": "1"}},
			{Name: "none", Array: []string{}},
		},
	}
	script := `printf 'kind: A\ndata:\n  v: |\n'; env | sed "s|$HOME|HOME|; s|^|    |"`
	got := valueOf(t, renderer(t, Options{Plugins: []Plugin{shell("p", script)}}), web(t, spec))
	want := []string{
		`ARGOCD_APP_NAME=web`,
		`ARGOCD_APP_PARAMETERS=[{"name":"some-string","string":"v"},{"name":"list","array":["a","b"]},{"name":"map","map":{"image.tag":"1"}},{"name":"none","array":[]}]`,
		`ARGOCD_APP_REVISION=` + revision, `ARGOCD_APP_REVISION_SHORT=` + revision,
		`ARGOCD_ENV_FOO=web-$1`, `HOME=HOME`, `KUBE_VERSION=1.36.1`,
		`PARAM_LIST_0=a`, `PARAM_LIST_1=b`, `PARAM_MAP_IMAGE_TAG=1`, `PARAM_SOME_STRING=v`,
		`PATH=` + DefaultPath, `TMPDIR=HOME`,
	}
	lines := strings.Split(strings.TrimSpace(got), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { // the shell's own
		return strings.HasPrefix(l, "PWD=") || strings.HasPrefix(l, "_=") || strings.HasPrefix(l, "SHLVL=") || strings.HasPrefix(l, "OLDPWD=")
	})
	slices.Sort(lines)
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestGeneratePaths tells that a plugin gets the paths that the application
// names, and holds while they do.
func TestGeneratePaths(t *testing.T) {
	cases := map[string]struct {
		reason, paths, change string
		want                  string
		holds                 bool
	}{
		"None":     {"everything", "", "top.txt", "apps/other/in.txt apps/web/in.txt apps/web/run.sh apps/web/sub/s1.cue lib/base.txt top.txt", false},
		"Own":      {"the source's folder", ".", "top.txt", "apps/web/in.txt apps/web/run.sh apps/web/sub/s1.cue", true},
		"Other":    {"a folder beside it, from the root", ".;/lib", "apps/other/in.txt", "apps/web/in.txt apps/web/run.sh apps/web/sub/s1.cue lib/base.txt", true},
		"Changed":  {"one of the paths changes", ".;/lib", "lib/base.txt", "apps/web/in.txt apps/web/run.sh apps/web/sub/s1.cue lib/base.txt", false},
		"Glob":     {"a pattern", "../oth*/*.txt", "lib/base.txt", "apps/other/in.txt apps/web/in.txt apps/web/run.sh apps/web/sub/s1.cue", true},
		"Outside":  {"nothing out of the repository", "../../../x;sub", "top.txt", "apps/web/in.txt apps/web/run.sh apps/web/sub/s1.cue", true},
		"File":     {"a file", "/top.txt", "lib/base.txt", "apps/web/in.txt apps/web/run.sh apps/web/sub/s1.cue top.txt", true},
		"Appeared": {"a path that is not there yet", "/new", "new/x", "apps/web/in.txt apps/web/run.sh apps/web/sub/s1.cue", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := renderer(t, Options{Plugins: []Plugin{shell("p", configMap+`cd ../..; find . -type f | sed 's|^./||' | sort | tr '\n' ' ')"`)}})
			s := web(t, named("p"))
			s.GeneratePaths = tc.paths
			if got := strings.TrimSpace(valueOf(t, r, s)); got != tc.want {
				t.Errorf("%s: got %s, want %s", tc.reason, got, tc.want)
			}
			if got := s.Tree.Log("apps/web").Holds(treetest.Snapshot(origin, strings.Repeat("f", 40), repository().With(tc.change, "new"))); got != tc.holds {
				t.Errorf("%s: holds is %v", tc.reason, got)
			}
		})
	}
}

func TestDiscover(t *testing.T) {
	with := func(name string, change func(*Discover)) Plugin {
		p := shell(name, "echo 'kind: A'")
		change(&p.Discover)
		return p
	}
	ruleless := shell("ruleless", "echo 'kind: A'")
	cases := map[string]struct {
		reason  string
		plugins []Plugin
		name    string
		found   bool
		want    string
	}{
		"FileName":   {"a pattern below the folder", []Plugin{with("p", func(d *Discover) { d.FileName = "./sub/s*.cue" })}, "", true, ""},
		"FileNameNo": {"one that matches elsewhere only", []Plugin{with("p", func(d *Discover) { d.FileName = "base.txt" })}, "", false, "the rules of none match"},
		"Parent":     {"a pattern may look beside the folder", []Plugin{with("p", func(d *Discover) { d.FileName = "../../lib/*.txt" })}, "", true, ""},
		"Glob":       {"a deep pattern", []Plugin{with("p", func(d *Discover) { d.Find.Glob = "**/s1.cue" })}, "", true, ""},
		"GlobNo":     {"a deep pattern that does not match", []Plugin{with("p", func(d *Discover) { d.Find.Glob = "**/base.txt" })}, "", false, "the rules of none match"},
		"First":      {"the first rule counts", []Plugin{with("p", func(d *Discover) { d.FileName, d.Find.Glob = "no", "**" })}, "", false, "the rules of none match"},
		"Command":    {"a command that prints", []Plugin{with("p", func(d *Discover) { d.Find.Command = Command{Command: []string{"cat", "in.txt"}} })}, "", true, ""},
		"CommandNo":  {"a command that prints nothing", []Plugin{with("p", func(d *Discover) { d.Find.Command = Command{Command: []string{"true"}} })}, "", false, "the rules of none match"},
		"CommandExit": {"a command that ends with an error says no", []Plugin{with("p", func(d *Discover) {
			d.Find.Command = Command{Command: []string{"sh", "-c", "echo yes; exit 1"}}
		})}, "", false, "the rules of none match"},
		"Ruleless":   {"a plugin without rules takes nothing by itself", []Plugin{ruleless}, "", false, "the rules of none match"},
		"Named":      {"but when it is named", []Plugin{ruleless}, "ruleless", false, ""},
		"NamedRules": {"a named one whose rules do not match", []Plugin{with("p", func(d *Discover) { d.FileName = "no" })}, "p", false, "do not match the source"},
		"Unknown":    {"a name that there is not", []Plugin{ruleless}, "none", false, "name one of ruleless"},
		"Version":    {"the version is part of the name", []Plugin{{Name: "p", Version: "v1", Generate: ruleless.Generate}}, "p-v1", false, ""},
		"NoVersion":  {"and is needed", []Plugin{{Name: "p", Version: "v1", Generate: ruleless.Generate}}, "p", false, "cannot find plugin p"},
		"Nothing":    {"no plugin at all", nil, "", false, "none is installed"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := renderer(t, Options{Plugins: tc.plugins})
			found, err := r.Discover(t.Context(), web(t, nil))
			if found != tc.found || err != nil {
				t.Errorf("%s: found is %v, %v", tc.reason, found, err)
			}
			_, err = r.Render(t.Context(), web(t, named(tc.name)))
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
	r := renderer(t, Options{Plugins: []Plugin{with("p", func(d *Discover) { d.Find.Command = Command{Command: []string{"not-installed"}} })}})
	if _, err := r.Discover(t.Context(), web(t, nil)); !errors.Is(err, process.ErrStart) {
		t.Errorf("a command that cannot be run must not make the source something else: %v", err)
	}
}

// TestFaults tells what is said of plugins that fail.
func TestFaults(t *testing.T) {
	long := "i=0; while [ $i -lt 3000 ]; do echo noise $i >&2; i=$((i+1)); done; "
	cases := map[string]struct {
		reason string
		p      Plugin
		limits process.Limits
		want   []string
		not    string
	}{
		"Missing":  {"a command that is not there", Plugin{Name: "p", Generate: Command{Command: []string{"no-such-command"}}}, process.Limits{}, []string{"plugin p: generate (no-such-command)", "cannot be started", "install the command"}, ""},
		"NotExec":  {"a file of the repository without the right to run", Plugin{Name: "p", Generate: Command{Command: []string{"./run.sh"}}}, process.Limits{}, []string{"permission denied"}, ""},
		"Exit":     {"an error with much output", shell("p", long+"echo the reason >&2; exit 7"), process.Limits{}, []string{"exit status 7", "the reason"}, "noise 1\n"},
		"Secrets":  {"an error that tells secrets", shell("p", `echo "https://u:hunter2@git/x token=hunter2 password: 'hunter2' $ARGOCD_ENV_DB_PASSWORD AGE-SECRET-KEY-1HUNTER2 Bearer hunter2hunter2" >&2; echo "$PWD" >&2; exit 1`), process.Limits{}, []string{"[redacted]", "./apps/web"}, "hunter2"},
		"Cut":      {"a key whose beginning was cut off", shell("p", `echo "-----BEGIN RSA PRIVATE KEY-----" >&2; i=0; while [ $i -lt 700 ]; do echo hunter2 >&2; i=$((i+1)); done; echo "-----END RSA PRIVATE KEY-----" >&2; echo the reason >&2; exit 1`), process.Limits{}, []string{"[redacted]", "the reason"}, "hunter2"},
		"Hang":     {"a command that hangs", shell("p", "sleep 600"), process.Limits{Time: 100 * time.Millisecond}, []string{"did not end in time", "100ms"}, ""},
		"Output":   {"endless output", shell("p", "yes"), process.Limits{Output: 1 << 20}, []string{"writes too much"}, ""},
		"NoYAML":   {"output that is no YAML", shell("p", "echo 'kind: [A'"), process.Limits{}, []string{"cannot read what plugin p printed", "line 1"}, ""},
		"NoObject": {"output that is no object", shell("p", "echo 'kind: A'; echo ---; echo Done."), process.Limits{}, []string{"line 3", "no Kubernetes object"}, ""},
		"Init":     {"an init that fails", Plugin{Name: "p", Init: Command{Command: []string{"false"}}, Generate: Command{Command: []string{"true"}}}, process.Limits{}, []string{"init (false)"}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := named("p")
			spec.Env = v1alpha1.Env{{Name: "DB_PASSWORD", Value: "hunter2"}}
			s := web(t, spec)
			_, err := renderer(t, Options{Plugins: []Plugin{tc.p}, Limits: tc.limits}).Render(t.Context(), s)
			var p *gitops.Problem
			if !errors.As(err, &p) || !errors.Is(err, source.ErrPassing) || p.Where.File != "apps/web" {
				t.Fatalf("%s: got %v", tc.reason, err)
			}
			for _, want := range tc.want {
				if !strings.Contains(p.Error(), want) {
					t.Errorf("%s: got %v, want %q", tc.reason, p, want)
				}
			}
			if tc.not != "" && strings.Contains(p.Error(), tc.not) || len(p.Error()) > 2000 {
				t.Errorf("%s: too much is told: %v", tc.reason, p)
			}
		})
	}
}

func TestNothingPrinted(t *testing.T) {
	got, err := renderer(t, Options{Plugins: []Plugin{shell("p", "true")}}).Render(t.Context(), web(t, named("p")))
	if err != nil || len(got) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestFileMode(t *testing.T) {
	p := Plugin{Name: "p", Generate: Command{Command: []string{"./run.sh"}}, PreserveFileMode: true}
	got, err := renderer(t, Options{Plugins: []Plugin{p}}).Render(t.Context(), web(t, named("p")))
	if err != nil || len(got) != 1 || got[0].Object.GetKind() != "FromScript" {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestRemains tells that a private folder goes, whatever a command does to it.
func TestRemains(t *testing.T) {
	p := shell("p", "mkdir -p a/b; touch a/b/c; chmod 0 a/b a; chmod 0 $HOME; echo 'kind: A'")
	if _, err := renderer(t, Options{Plugins: []Plugin{p}}).Render(t.Context(), web(t, named("p"))); err != nil {
		t.Error(err)
	}
}

// TestLinks tells that links are written as what they lead to, and none of
// them leads out.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range repository() {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"apps/web/file": "../../lib/base.txt", "apps/web/dir": "../../lib",
		"apps/web/out": "../../../../../../../etc/hostname", "apps/web/abs": "/etc",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	snap, err := treetest.Folder(origin, revision, dir)
	if err != nil {
		t.Fatal(err)
	}
	s := at(t, snap, named("p"))
	got := valueOf(t, renderer(t, Options{Plugins: []Plugin{shell("p", configMap+`cat file dir/base.txt; find . -type l; ls)"`)}}), s)
	got = strings.Join(strings.Fields(got), " ")
	if got != "basebasedir file in.txt run.sh sub" {
		t.Errorf("got %q", got)
	}
	var left []string
	for _, w := range s.Warnings() {
		left = append(left, w.Reason+" "+w.Origin.File)
	}
	if diff := cmp.Diff([]string{"SkippedFile apps/web/abs", "SkippedFile apps/web/out"}, left); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTreeLimits(t *testing.T) {
	for name, o := range map[string]Options{"Files": {MaxFiles: 3}, "Bytes": {MaxBytes: 10}} {
		o.Plugins = []Plugin{shell("p", "echo 'kind: A'")}
		_, err := renderer(t, o).Render(t.Context(), web(t, named("p")))
		if err == nil || !strings.Contains(err.Error(), "manifest-generate-paths") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFullDisk tells of a temporary folder without room, which is the
// machine's matter.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := mountSmall(dir); err != nil {
		t.Skipf("no small file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { unmount(dir) })
	files := repository().With("apps/web/large", strings.Repeat("x", 4<<20))
	r := unclean(Options{Plugins: []Plugin{shell("p", "echo 'kind: A'")}, TempDir: dir})
	_, err := r.Render(t.Context(), at(t, treetest.Snapshot(origin, revision, files), named("p")))
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Unreachable || !strings.Contains(p.What, "no space left") || strings.Contains(p.Error(), dir) || !errors.Is(err, source.ErrPassing) {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	fills := unclean(Options{Plugins: []Plugin{shell("p", "dd if=/dev/zero of=big bs=1M count=16 && echo 'kind: A'")}, TempDir: dir})
	if _, err := fills.Render(t.Context(), web(t, named("p"))); err == nil || !strings.Contains(err.Error(), "No space left") {
		t.Errorf("got %v", err)
	}
}

func TestUnwritable(t *testing.T) {
	r := unclean(Options{Plugins: []Plugin{shell("p", "true")}, TempDir: filepath.Join(t.TempDir(), "none")})
	_, err := r.Render(t.Context(), web(t, named("p")))
	if err == nil || !strings.Contains(err.Error(), "cannot write the repository for a plugin: no such file") {
		t.Errorf("got %v", err)
	}
}

// TestVariablesAreBounded: a variable of some kilobytes may stand in another as often
// as there is room for its name.
func TestVariablesAreBounded(t *testing.T) {
	spec := named("p")
	spec.Env = v1alpha1.Env{{Name: "N", Value: strings.Repeat("$LONG", 200)}}
	s := web(t, spec)
	s.Env["LONG"] = environ.Text(strings.Repeat("x", 10_000))
	if _, err := renderer(t, Options{Plugins: []Plugin{shell("p", "true")}}).Render(t.Context(), s); !errors.Is(err, environ.ErrTooMuch) {
		t.Errorf("got %v", err)
	}
}

func TestParallel(t *testing.T) {
	r := renderer(t, Options{Plugins: []Plugin{shell("p", configMap+`cat in.txt; echo $ARGOCD_ENV_N > in.txt; cat in.txt)"`)}})
	for i := range 8 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			spec := named("p")
			spec.Env = v1alpha1.Env{{Name: "N", Value: strconv.Itoa(i)}}
			if got := valueOf(t, r, web(t, spec)); got != fmt.Sprintf("web%d", i) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestSetup(t *testing.T) {
	a := NewRunner(Options{Plugins: []Plugin{shell("p", "a")}})
	if a.Setup() == NewRunner(Options{Plugins: []Plugin{shell("p", "b")}}).Setup() || a.Setup() != NewRunner(Options{Plugins: []Plugin{shell("p", "a")}}).Setup() {
		t.Error("another command is another setup, and the same is not")
	}
	if a.Setup() == NewRunner(Options{}).Setup() {
		t.Error("no plugin is another setup")
	}
}
