package directory

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
	"github.com/causeway-gitops/causeway/internal/worker"
	"github.com/causeway-gitops/causeway/test/detector"
)

func TestMain(m *testing.M) {
	Worker()
	os.Exit(m.Run())
}

func pool(t *testing.T, l worker.Limits) *worker.Pool {
	t.Helper()
	w := NewWorkers(l)
	t.Cleanup(w.Close)
	return w
}

func program(t *testing.T, text string, more treetest.Files) *source.Source {
	t.Helper()
	files := treetest.Files{"app/x.jsonnet": text}
	for name, content := range more {
		files[name] = content
	}
	return &source.Source{
		Tree: record.Wrap(t.Context(), treetest.Snapshot("r", "1", files), record.Limits{}), Path: "app",
		Spec: v1alpha1.ApplicationSource{Directory: &v1alpha1.ApplicationSourceDirectory{Jsonnet: v1alpha1.ApplicationSourceJsonnet{
			Libs: []string{"lib"}, ExtVars: []v1alpha1.JsonnetVar{{Name: "size", Value: "1+1", Code: true}},
		}}},
	}
}

const good = `{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'a' + std.extVar('size')}, data: (import 'b.libsonnet') + {raw: importstr 'raw.txt'}}`

var libraries = treetest.Files{"lib/b.libsonnet": "{x: (import 'c.libsonnet').y}", "lib/c.libsonnet": "{y: 'z'}", "app/raw.txt": "text"}

// TestImportsAreShared: a library is read and held once, however many programs import it.
func TestImportsAreShared(t *testing.T) {
	files := treetest.Files{"lib/l.libsonnet": "{} // " + strings.Repeat("x", 300_000)}
	for i := range 4 {
		files[fmt.Sprintf("app/%d.jsonnet", i)] = "if (import 'l.libsonnet') == {} then [] else []"
	}
	s := program(t, "[]", files)
	s.Tree = record.Wrap(t.Context(), treetest.Snapshot("r", "1", files), record.Limits{Bytes: bounded.NewBytes(500_000)})
	if _, err := (Renderer{Workers: pool(t, worker.Limits{})}).Render(t.Context(), s); err != nil {
		t.Error(err)
	}
}

// TestIsolation tells that a program without bounds fails alone.
func TestIsolation(t *testing.T) {
	if detector.On {
		t.Skip("the race detector takes more memory than the limits here")
	}
	cases := map[string]struct {
		reason, text, want string
	}{
		"Recursion": {"a function that calls itself", "local f(x) = 1 + f(x + 1); f(1)", "max stack frames exceeded"},
		"Tail":      {"a loop by tail calls, of which each takes memory", "local f(x) = f(x) tailstrict; f(1)", "it needs too much memory"},
		"Endless":   {"loops inside loops", "std.foldl(function(a, b) std.foldl(function(c, d) c + d, std.range(1, 2000), 0), std.range(1, 1000000), 0)", "it does not end"},
		"Text":      {"a huge text", "{a: std.repeat('xxxxxxxxxxxxxxxx', 1000000000)}", "it needs too much memory"},
		"List":      {"a huge list", "std.length(std.makeArray(1000000000, function(i) {a: i}))", "it needs too much memory"},
		"Doubled":   {"a text that is doubled often", "local d(s, n) = if n == 0 then s else d(s + s, n - 1) tailstrict; {a: d('xxxxxxxx', 40)}", "it needs too much memory"},
	}
	patient := pool(t, worker.Limits{Time: 10 * time.Minute, Memory: 128 << 20, Parallel: 2})
	hasty := pool(t, worker.Limits{Time: 500 * time.Millisecond})
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := Renderer{Workers: patient}
			if name == "Endless" {
				r.Workers = hasty
			}
			_, err := r.Render(t.Context(), program(t, tc.text, nil))
			var p *gitops.Problem
			if !errors.As(err, &p) || !strings.Contains(p.What, tc.want) || p.Where.File != "app/x.jsonnet" {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
			if got := errors.Is(err, source.ErrPassing); got != strings.Contains(p.What, "does not end") {
				t.Errorf("%s: passing is %v", tc.reason, got)
			}
			r.Workers = patient
			objects, err := r.Render(t.Context(), program(t, good, libraries))
			if err != nil || len(objects) != 1 {
				t.Errorf("%s: the next program gives %v, %v", tc.reason, objects, err)
			}
		})
	}
}

// TestWorkerResult tells that a worker gives what this process would, reads
// through the record, and tells lines and imports that are missing.
func TestWorkerResult(t *testing.T) {
	w := pool(t, worker.Limits{})
	s := program(t, good, libraries)
	objects, err := Renderer{Workers: w}.Render(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(objects[0].Object.Object); got != "map[apiVersion:v1 data:map[raw:text x:z] kind:ConfigMap metadata:map[name:a2]]" {
		t.Errorf("got %s", got)
	}
	changed := treetest.Files{"app/x.jsonnet": good}
	for name, text := range libraries {
		changed[name] = text
	}
	if !s.Tree.Log("app").Holds(treetest.Snapshot("r", "2", changed)) {
		t.Error("the same files do not hold")
	}
	if s.Tree.Log("app").Holds(treetest.Snapshot("r", "2", changed.With("lib/c.libsonnet", "{y: 1}"))) {
		t.Error("a changed import was not noticed")
	}
	for name, tc := range map[string]struct {
		text, want, where string
	}{
		"Line":    {"{\n a: error 'told' }", "told", "app/x.jsonnet:2"},
		"Missing": {"import 'none'", "cannot find import none", "app/x.jsonnet:1"},
		"Outside": {"import '../../etc/passwd'", "cannot find import", "app/x.jsonnet:1"},
		"Syntax":  {"{", "Unexpected", "app/x.jsonnet:1"},
		"Long":    {"local d(s, n) = if n == 0 then s else d(s + s, n - 1) tailstrict;\nerror d('xxxxxxxx', 18)", "xxx…", "app/x.jsonnet:2"},
	} {
		_, err := Renderer{Workers: w}.Render(t.Context(), program(t, tc.text, nil))
		var p *gitops.Problem
		if !errors.As(err, &p) || !strings.Contains(p.What, tc.want) || p.Where.String() != tc.where || len(p.What) > maxError {
			t.Errorf("%s: got %.200v at %.200v", name, err, p)
		}
	}
}

func TestWorkersInParallel(t *testing.T) {
	w := pool(t, worker.Limits{Parallel: 3})
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			text := fmt.Sprintf("{apiVersion: 'v1', kind: 'A', metadata: {name: 'n%d'}}", i)
			objects, err := Renderer{Workers: w}.Render(t.Context(), program(t, text, nil))
			if err != nil || objects[0].Object.GetName() != fmt.Sprintf("n%d", i) {
				t.Errorf("program %d gives %v, %v", i, objects, err)
			}
		})
	}
	all.Wait()
}

// TestKilled tells that a worker that is killed in the middle is replaced
// once, and one that was killed while it was idle as well.
func TestKilled(t *testing.T) {
	w := pool(t, worker.Limits{Parallel: 1})
	asked := 0
	e := evaluation{File: "x", Text: []byte("import 'a'"), Stack: 10}
	kill := func(times int) resolver {
		asked = 0
		return func(string, string) content {
			asked++
			if asked <= times {
				killChildren(t)
			}
			return content{Path: "a", Text: []byte("1")}
		}
	}
	if out, err := e.apart(t.Context(), w, kill(1)); err != nil || out != "1\n" || asked != 2 {
		t.Errorf("killed once: %q, %v, %d questions", out, err, asked)
	}
	killChildren(t)
	if out, err := e.apart(t.Context(), w, kill(0)); err != nil || out != "1\n" {
		t.Errorf("killed while idle: %q, %v", out, err)
	}
	if _, err := e.apart(t.Context(), w, kill(9)); !errors.Is(err, worker.ErrDied) || asked != 2 {
		t.Errorf("killed each time: %v, %d questions", err, asked)
	}
}

// killChildren ends the workers of this process.
func killChildren(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("children are found by /proc")
	}
	for _, e := range entries {
		text, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		var pid, parent int
		var state string
		i := bytes.LastIndexByte(text, ')')
		_, _ = fmt.Sscan(string(text[i+1:]), &state, &parent)
		_, _ = fmt.Sscan(string(text), &pid)
		if parent == os.Getpid() && state != "Z" {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// TestInProcess tells that a program that has no worker evaluates by itself.
func TestInProcess(t *testing.T) {
	here := evaluation{File: "x", Text: []byte("{a: 1 + 1}"), Stack: maxStack}
	if out, err := here.run(&importer{}); err != nil || out != "{\n   \"a\": 2\n}\n" {
		t.Errorf("got %q, %v", out, err)
	}
	here.Text = []byte("local f(x) = 1 + f(x + 1); f(1)")
	if _, err := here.run(&importer{}); err == nil {
		t.Error("the stack has no bound")
	}
}

// BenchmarkWorker measures what a worker that runs costs a file.
func BenchmarkWorker(b *testing.B) {
	for name, workers := range map[string]*worker.Pool{"InProcess": nil, "Worker": NewWorkers(worker.Limits{})} {
		b.Run(name, func(b *testing.B) {
			e := evaluation{File: "x", Text: []byte("{a: [x * 2 for x in std.range(1, 100)]}"), Stack: 500}
			for b.Loop() {
				var err error
				if workers == nil {
					_, err = e.run(&importer{})
				} else {
					_, err = e.apart(b.Context(), workers, nil)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
