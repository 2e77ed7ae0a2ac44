package shipped_test

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/resource_customizations"
	"github.com/google/go-cmp/cmp"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/observe/action"
	"github.com/causeway-gitops/causeway/internal/observe/custom"
	"github.com/causeway-gitops/causeway/internal/observe/sandbox"
	"github.com/causeway-gitops/causeway/internal/observe/shipped"
)

// leastScripts are how many scripts ship at least: fewer would mean that some
// are not found.
const leastScripts = 360

// TestScriptsInTheSandbox runs every script that ships in the sandbox and in
// the bare interpreter, with an object that has almost nothing. What fails in
// one must fail in the other: the sandbox takes nothing away that they need.
func TestScriptsInTheSandbox(t *testing.T) {
	count := 0
	shipped.All(func(key, name string, p *sandbox.Program) {
		count++
		if err := p.Check(); err != nil {
			t.Errorf("%s %s: %v", key, name, err)
			return
		}
		file := path.Join(key, "actions", name, "action.lua")
		switch name {
		case "health":
			file = path.Join(key, "health.lua")
		case "discovery":
			file = path.Join(key, "actions", "discovery.lua")
		}
		source, err := fs.ReadFile(resource_customizations.Embedded, file)
		if err != nil {
			t.Fatal(err)
		}
		for what, object := range minimal(key) {
			_, inSandbox := p.Run(map[string]any{"obj": object, "actionParams": map[string]any{}})
			bare := runBare(string(source), object)
			if (inSandbox == nil) != (bare == nil) {
				t.Errorf("%s %s with %s: %v in the sandbox, %v without", key, name, what, inSandbox, bare)
			}
		}
	})
	if count < leastScripts {
		t.Errorf("%d scripts; want at least %d", count, leastScripts)
	}
}

func minimal(key string) map[string]map[string]any {
	group, kind, _ := strings.Cut(key, "/")
	object := func(status any) map[string]any {
		o := map[string]any{
			"apiVersion": strings.ReplaceAll(group, "_", "x") + "/v1", "kind": strings.ReplaceAll(kind, "_", "X"),
			"metadata": map[string]any{"name": "x", "namespace": "y", "generation": int64(2)}, "spec": map[string]any{},
		}
		if status != nil {
			o["status"] = status
		}
		return o
	}
	return map[string]map[string]any{
		"nothing":       {},
		"no status":     object(nil),
		"no conditions": object(map[string]any{"conditions": []any{}, "phase": "Running"}),
		"a condition": object(map[string]any{"observedGeneration": int64(2), "conditions": []any{
			map[string]any{"type": "Ready", "status": "False", "reason": "r", "message": "m"},
		}}),
	}
}

// runBare runs a script as the interpreter itself does, with all libraries.
func runBare(source string, object map[string]any) error {
	l := lua.NewState()
	defer l.Close()
	l.SetGlobal("obj", bare(l, object))
	l.SetGlobal("actionParams", l.NewTable())
	return l.DoString(source)
}

func bare(l *lua.LState, value any) lua.LValue {
	switch v := value.(type) {
	case string:
		return lua.LString(v)
	case int64:
		return lua.LNumber(v)
	case []any:
		t := l.NewTable()
		for _, item := range v {
			t.Append(bare(l, item))
		}
		return t
	case map[string]any:
		t := l.NewTable()
		for k, item := range v {
			t.RawSetString(k, bare(l, item))
		}
		return t
	}
	return lua.LNil
}

// ours are inputs of kinds that have a check of the engine's own, which
// judges otherwise than the script: it agrees with what Argo CD was recorded
// to say.
var ours = map[string]bool{
	"apiextensions.k8s.io/CustomResourceDefinition/testdata/crd-v1-not-established-progressing.yaml": true,
	"batch/CronJob/testdata/never-scheduled.yaml":                                                    true,
	"policy/PodDisruptionBudget/testdata/degraded.yaml":                                              true,
}

// TestScriptsAsTheirAuthorsTestThem runs the tests that ship with the scripts.
func TestScriptsAsTheirAuthorsTestThem(t *testing.T) {
	checks, count := observe.Standard(), 0
	walk(t, "health_test.yaml", func(dir string, data []byte) {
		var suite struct {
			Tests []struct {
				Input  string `json:"inputPath"`
				Health struct {
					Status string `json:"status"`
				} `json:"healthStatus"`
			} `json:"tests"`
		}
		if err := yaml.Unmarshal(data, &suite); err != nil {
			t.Fatal(err)
		}
		for _, tc := range suite.Tests {
			count++
			object := read(t, path.Join(dir, tc.Input))
			object.SetUID("") // several files tell of one object, at the same version
			if tc.Health.Status != "Progressing" {
				// A script does not see objects that are being deleted.
				object.SetDeletionTimestamp(nil)
			}
			got, err := checks.Health("", object)
			if ours[path.Join(dir, tc.Input)] {
				continue
			}
			if string(got.Code) != tc.Health.Status {
				t.Errorf("%s: got %s %q, %v; want %s", path.Join(dir, tc.Input), got.Code, got.Message, err, tc.Health.Status)
			}
		}
	})
	if count < 1000 {
		t.Errorf("%d tests were found", count)
	}
}

func walk(t *testing.T, name string, f func(dir string, data []byte)) {
	t.Helper()
	err := fs.WalkDir(resource_customizations.Embedded, ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || path.Base(file) != name {
			return err
		}
		data, err := fs.ReadFile(resource_customizations.Embedded, file)
		f(path.Dir(file), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) *unstructured.Unstructured {
	t.Helper()
	data, err := fs.ReadFile(resource_customizations.Embedded, file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := yaml.YAMLToJSON(data)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var o map[string]any
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return &unstructured.Unstructured{Object: o}
}

// TestActionsAsTheirAuthorsTestThem runs the tests that ship with actions, by
// the scripts' own expectations of what becomes of an object.
func TestActionsAsTheirAuthorsTestThem(t *testing.T) {
	discoveries, runs, kinds := 0, 0, map[string]bool{}
	walk(t, "action_test.yaml", func(dir string, data []byte) {
		var s actionSuite
		if err := yaml.Unmarshal(data, &s); err != nil {
			t.Fatal(err)
		}
		for _, tc := range s.Discoveries {
			discoveries++
			discover(t, path.Join(dir, tc.Input), tc.Result)
		}
		for _, tc := range s.Runs {
			runs++
			kinds[dir] = true
			run(t, dir, tc)
		}
	})
	t.Logf("%d discoveries and %d runs of %d kinds", discoveries, runs, len(kinds))
	if discoveries < 80 || runs < 100 || len(kinds) < 30 {
		t.Errorf("%d discoveries and %d runs of %d kinds were found", discoveries, runs, len(kinds))
	}
}

type actionSuite struct {
	Discoveries []struct {
		Input  string `json:"inputPath"`
		Result []struct {
			Name     string `json:"name"`
			Disabled bool   `json:"disabled"`
			Params   []struct {
				Name string `json:"name"`
			} `json:"params"`
		} `json:"result"`
	} `json:"discoveryTests"`
	Runs []actionRun `json:"actionTests"`
}

type actionRun struct {
	Action     string            `json:"action"`
	Input      string            `json:"inputPath"`
	Output     string            `json:"expectedOutputPath"`
	Error      string            `json:"expectedErrorMessage"`
	Parameters map[string]string `json:"parameters"`
}

func discover(t *testing.T, input string, want []struct {
	Name     string `json:"name"`
	Disabled bool   `json:"disabled"`
	Params   []struct {
		Name string `json:"name"`
	} `json:"params"`
},
) {
	t.Helper()
	found, err := action.Discover(&custom.Set{}, "", read(t, input))
	if err != nil || len(found) != len(want) {
		t.Errorf("%s: %d actions, %v; want %d", input, len(found), err, len(want))
		return
	}
	for _, w := range want {
		i := slices.IndexFunc(found, func(a action.Action) bool { return a.Name == w.Name })
		if i < 0 || found[i].Disabled != w.Disabled || len(found[i].Parameters) != len(w.Params) {
			t.Errorf("%s: %s is not as expected in %+v", input, w.Name, found)
		}
	}
}

func run(t *testing.T, dir string, tc actionRun) {
	t.Helper()
	object := read(t, path.Join(dir, tc.Input))
	name := path.Join(dir, tc.Input) + " " + tc.Action
	changes, err := action.Run(&custom.Set{}, "", object, tc.Action, tc.Parameters)
	var refused *gitops.Problem
	if errors.As(err, &refused) && (refused.Kind == gitops.NotReady || refused.Kind == gitops.NotFound) {
		t.Logf("%s is refused, which Argo CD leaves to its pages: %v", name, err)
		return
	}
	if tc.Error != "" {
		if err == nil || !strings.Contains(err.Error(), tc.Error) {
			t.Errorf("%s: %v; want %s", name, err, tc.Error)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for i, want := range expected(t, path.Join(dir, tc.Output)) {
		if i >= len(changes) {
			t.Errorf("%s: %d changes; want more", name, len(changes))
			return
		}
		// Some expectations were taken from a cluster, with what controllers
		// did since: only what the action changed is compared.
		got := timeless(changes[i].Object.Object)
		if changes[i].Verb == gitops.Update {
			changed := map[string]any{"status": changes[i].StatusPatch}
			maps.Copy(changed, changes[i].Patch)
			got = timeless(changed)
		}
		want = among(got, timeless(want))
		if diff := cmp.Diff(want, among(want, got)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

// among leaves of got what want has, too: some expectations lack labels and
// annotations, which the tests of Argo CD do not compare.
func among(want, got any) any {
	w, isMap := want.(map[string]any)
	g, wasMap := got.(map[string]any)
	if !isMap || !wasMap {
		return got
	}
	out := map[string]any{}
	for key := range w {
		if value, ok := g[key]; ok {
			out[key] = among(w[key], value)
		}
	}
	return out
}

// expected reads an object, or a list of operations with their objects.
func expected(t *testing.T, file string) []any {
	t.Helper()
	data, err := fs.ReadFile(resource_customizations.Embedded, file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := yaml.YAMLToJSON(data)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	list, ok := value.([]any)
	if !ok {
		return []any{value}
	}
	var out []any
	for _, item := range list {
		fields, _ := item.(map[string]any)
		out = append(out, fields["unstructuredObj"])
	}
	return out
}

// times are what depends on the clock, and on what a test of Argo CD puts in
// its place.
var times = regexp.MustCompile(`(\d{4}-\d{2}-\d{2}T[0-9:]+Z?|-\d{10,12})$`)

// timeless takes out times, what is null, which is nothing to Lua, and empty maps.
func timeless(value any) any {
	switch v := value.(type) {
	case string:
		return times.ReplaceAllString(v, "TIME")
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = timeless(item)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key, item := range v {
			if m, isMap := item.(map[string]any); item != nil && (!isMap || len(m) > 0) {
				out[key] = timeless(item)
			}
		}
		return out
	}
	return value
}
