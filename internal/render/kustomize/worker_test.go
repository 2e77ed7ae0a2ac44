package kustomize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
	"github.com/causeway-gitops/causeway/internal/worker"
	"github.com/causeway-gitops/causeway/test/detector"
)

// TestMain is also the process that builds kustomizations.
func TestMain(m *testing.M) {
	Worker()
	os.Exit(m.Run())
}

const (
	thingHead = "apiVersion: x.io/v1\nkind: Thing\nmetadata: {name: a}\n"
	thing     = thingHead + "spec: {x: y}\n"
)

// many is a text with a line for each number.
func many(head, line string, n int) string {
	var b strings.Builder
	b.WriteString(head)
	for i := range n {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}

// anchors are aliases of aliases.
func anchors(head string) string {
	var b strings.Builder
	b.WriteString(head + "  a0: &a0 {x: y}\n")
	for i := range 14 {
		fmt.Fprintf(&b, "  a%d: &a%d [*a%d, *a%d, *a%d, *a%d]\n", i+1, i+1, i, i, i, i)
	}
	return b.String()
}

// TestWhatGrowsIsBuiltElsewhere has few lines that take all memory, or all
// time: they end a process, and not this one.
func TestWhatGrowsIsBuiltElsewhere(t *testing.T) {
	if detector.On {
		t.Skip("the race detector takes more memory than the limit here")
	}
	tests := map[string]struct {
		reason string
		files  treetest.Files
	}{
		"Replacements": {"an object is put into itself", treetest.Files{
			"app/kustomization.yaml": many("resources: [a.yaml]\nreplacements:\n",
				"- source: {kind: Thing, name: a, fieldPath: spec}\n  targets: [{select: {kind: Thing, name: a}, fieldPaths: [spec.k%d], options: {create: true}}]\n", 40),
			"app/a.yaml": thing,
		}},
		"Texts": {"a text is appended to itself", treetest.Files{
			"app/kustomization.yaml": many("resources: [a.yaml]\nreplacements:\n",
				"- source: {kind: Thing, name: a, fieldPath: spec.x}\n  targets: [{select: {kind: Thing, name: a}, fieldPaths: [spec.x], options: {delimiter: \"/\", index: -1}}] # %d\n", 60),
			"app/a.yaml": thing,
		}},
		"Copy": {"a patch copies an object into itself", treetest.Files{
			"app/kustomization.yaml": many("resources: [a.yaml]\npatches:\n- target: {kind: Thing}\n  patch: |-\n", "    - {op: copy, from: /spec, path: /spec/k%d}\n", 40),
			"app/a.yaml":             thing,
		}},
		"CopyInAFile": {"so does one in a file, whose words are escaped", treetest.Files{
			"app/kustomization.yaml": "resources: [a.yaml]\npatches: [{target: {kind: Thing}, path: p.yaml}]\n",
			"app/p.yaml":             many("", "- {op: \"\\x63opy\", from: /spec, path: /spec/k%d}\n", 40), "app/a.yaml": thing,
		}},
		"Anchors":         {"aliases of aliases in a resource", treetest.Files{"app/kustomization.yaml": "resources: [a.yaml]\n", "app/a.yaml": anchors(thingHead + "spec:\n")}},
		"AnchorsInAPatch": {"and in a patch", treetest.Files{"app/kustomization.yaml": "resources: [a.yaml]\npatches: [{path: p.yaml}]\n", "app/a.yaml": thing, "app/p.yaml": anchors(thingHead + "spec:\n")}},
	}
	workers := worker.NewPool(workerKind, worker.Limits{Memory: 192 << 20, Time: buildTime})
	t.Cleanup(workers.Close)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, err := setup{files: tc.files, workers: workers}.render(t)
			var p *gitops.Problem
			if !errors.As(err, &p) || !strings.Contains(p.Error(), worker.ErrMemory.Error()) || p.Fix == "" {
				t.Errorf("%s: it ends with %v", tc.reason, err)
			}
		})
	}
}

// TestManyValues: what becomes much is read outside of the engine, and what is
// given is looked through before it is read inside.
func TestManyValues(t *testing.T) {
	text := thingHead + "spec: {x: [" + strings.Repeat("{},", plainValues/2-10) + "1]}\n"
	s := sum{}
	if odd := s.file([]byte(text), asObjects); odd != "" || s.values < plainValues-100 {
		t.Errorf("what just fits: %q, %d values", odd, s.values)
	}
	if odd := s.file([]byte(text), asObjects); odd == "" {
		t.Error("a little more is read inside of the engine")
	}
	large := thingHead + "spec: {x: [" + strings.Repeat("{},", plainValues) + "1]}\n"
	_, _, err := setup{files: treetest.Files{"app/kustomization.yaml": "resources: [a.yaml]\n", "app/a.yaml": large}}.render(t)
	if err == nil { // by the worker's memory, or by what it gives
		t.Errorf("what is built of many values ends with %v", err)
	}
}

// TestABuildIsStopped ends one by its context, and has the next one built.
func TestABuildIsStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	files := treetest.Files{"app/kustomization.yaml": "resources: [a.yaml]\n", "app/a.yaml": anchors(thingHead + "spec:\n")}
	if _, _, err := (setup{files: files}).renderWithin(ctx, t); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
	files["app/a.yaml"] = thing
	if out, _, err := (setup{files: files}).render(t); err != nil || len(out) != 1 {
		t.Errorf("the next one: %v, %v", out, err)
	}
}

// TestApartIsAsWithin builds the same in both ways.
func TestApartIsAsWithin(t *testing.T) {
	files := treetest.Files{
		"app/kustomization.yaml": "namePrefix: x-\nresources: [../base]\nbuildMetadata: [originAnnotations]\nconfigMapGenerator: [{name: c, files: [run.sh]}]\npatches: [{path: p.yaml}]\n",
		"app/run.sh":             "true && rm *.txt\n", "app/p.yaml": strings.Replace(thing, "x: y", "z: w", 1),
		"base/kustomization.yaml": "resources: [a.yaml]\n", "base/a.yaml": thing,
	}
	within, warnings, err := setup{files: files}.render(t)
	if err != nil {
		t.Fatal(err)
	}
	files["app/kustomization.yaml"] += "vars: [{name: V, objref: {apiVersion: x.io/v1, kind: Thing, name: a}}]\n"
	apart, more, err := setup{files: files}.render(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(within, apart); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(warnings.Warnings(), more.Warnings()); diff != "" {
		t.Error(diff)
	}
}

// TestOwnSchemaIsTakenAway builds with a schema, and then without in the same
// process: lists of an unknown kind are replaced again, and not merged.
func TestOwnSchemaIsTakenAway(t *testing.T) {
	for range 2 {
		if _, _, err := (setup{files: treetest.Files{"app/kustomization.yaml": "resources: [a.yaml]\nopenapi: {path: s.json}\n", "app/s.json": `{"definitions": {}}`, "app/a.yaml": thing}}).render(t); err != nil {
			t.Fatal(err)
		}
		files := treetest.Files{
			"app/kustomization.yaml": "resources: [a.yaml]\npatches: [{path: p.yaml}]\nreplacements: []\ncrds: []\nvars: [{name: V, objref: {apiVersion: apps/v1, kind: Deployment, name: a}}]\n",
			"app/a.yaml":             "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: a, image: b}]}}}\n",
			"app/p.yaml":             "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: c, image: d}]}}}\n",
		}
		out, _, err := (setup{files: files}).render(t)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprint(out[0].Object.Object); !strings.Contains(text, "image:b") || !strings.Contains(text, "image:d") {
			t.Errorf("containers are not merged by their names: %s", text)
		}
	}
}

func TestPlain(t *testing.T) {
	tests := map[string]struct {
		reason string
		text   string
		odd    bool
	}{
		"Plain":    {"an object", thing, false},
		"Alias":    {"a part is used again", "a: &x {b: c}\nd: *x\n", true},
		"Flow":     {"without space", "{a: &x b,c: [*x]}", true},
		"JSON":     {"after a key of JSON", `{"a":&x {},"b":*x}`, true},
		"Start":    {"at the beginning", "&x [*x]", true},
		"NextLine": {"after another sign for a line's end", "a: &x b\nc:\u0085*x", true},
		"Shell":    {"both signs in a script", "run: |\n  a && b\n  rm *.txt\n", true},
		"Anchor":   {"an anchor alone", "a: &x {b: c}\n", false},
		"Signs":    {"both signs, and no node", "a: b&c*d\n", false},
		"Cron":     {"a schedule in quotes", "a: '*/5 * * * *'\nb: c & d\n", false},
		"UTF16":    {"another encoding", "\xff\xfea\x00:\x00", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var s sum
			if odd := s.file([]byte(tc.text), asObjects); (odd != "") != tc.odd {
				t.Errorf("%s: %q", tc.reason, odd)
			}
		})
	}
}
