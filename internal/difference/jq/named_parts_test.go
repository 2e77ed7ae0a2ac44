package jq

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// bothWays are an expression in this process, and in a worker.
func bothWays(t *testing.T, text string) map[string]*Query {
	t.Helper()
	out := map[string]*Query{}
	for where, plain := range map[string]bool{"here": true, "in a worker": false} {
		q, err := parse("ignoreDifferences", text)
		if err != nil {
			t.Fatal(err)
		}
		q.plain = plain
		out[where] = q
	}
	return out
}

func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := utiljson.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// What an expression names goes at once, as it was found: the places of items do not
// move under it. Where it fails, nothing goes, and people are told what it named before.
func TestNamedPartsGoTogether(t *testing.T) {
	const object = `{"a": {"b": 1, "c": 2}, "l": [1, 2, 3, 4], "m": [{"n": "x"}, {"n": "y"}]}`
	cases := map[string]struct {
		reason, text, want string
		paths              string
		fails              bool
	}{
		"Field":    {"a field", ".a.b", `{"a": {"c": 2}, "l": [1, 2, 3, 4], "m": [{"n": "x"}, {"n": "y"}]}`, `[["a","b"]]`, false},
		"Items":    {"several items", ".l[0], .l[1], .l[3]", `{"a": {"b": 1, "c": 2}, "l": [3], "m": [{"n": "x"}, {"n": "y"}]}`, `[["l",0],["l",1],["l",3]]`, false},
		"Twice":    {"one that is named twice", ".l[0], .l[0]", `{"a": {"b": 1, "c": 2}, "l": [2, 3, 4], "m": [{"n": "x"}, {"n": "y"}]}`, `[["l",0],["l",0]]`, false},
		"Nested":   {"one within another", ".a, .a.b", `{"l": [1, 2, 3, 4], "m": [{"n": "x"}, {"n": "y"}]}`, `[["a"],["a","b"]]`, false},
		"Found":    {"an item by what is in it", `.m[] | select(.n == "x")`, `{"a": {"b": 1, "c": 2}, "l": [1, 2, 3, 4], "m": [{"n": "y"}]}`, `[["m",0]]`, false},
		"Absent":   {"what is not there is named, and takes nothing", ".x.y, .l[9]", object, `[["x","y"],["l",9]]`, false},
		"Nothing":  {"nothing", "empty", object, `null`, false},
		"Whole":    {"the whole object is not left out", ".", object, `[[]]`, false},
		"NoPath":   {"a value is no path", "1", object, `null`, true},
		"Fails":    {"an item has no such field", ".a, .l[].x", object, `[["a"]]`, true},
		"Optional": {"a question mark takes what fails for nothing", ".a, .l[].x?", `{"l": [1, 2, 3, 4], "m": [{"n": "x"}, {"n": "y"}]}`, `[["a"]]`, false},
	}
	for name, tc := range cases {
		for where, q := range bothWays(t, tc.text) {
			t.Run(name+" "+where, func(t *testing.T) {
				got, err := q.Delete(t.Context(), decoded(t, object))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(decoded(t, tc.want), got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
				}
				paths, err := q.Paths(t.Context(), decoded(t, object))
				if text, _ := json.Marshal(paths); err != nil || string(text) != tc.paths {
					t.Errorf("%s: the paths are %s, %v", tc.reason, text, err)
				}
				if failure := q.Failure(t.Context(), decoded(t, object)); (failure != nil) != tc.fails {
					t.Errorf("%s: it fails with %v", tc.reason, failure)
				}
			})
		}
	}
}

// A number is the same after it was in a worker: a whole one has no point, and one with a point keeps it.
func TestNumbersStayWhatTheyAre(t *testing.T) {
	for where, q := range bothWays(t, ".gone") {
		object := map[string]any{"gone": true, "list": []any{
			int64(9007199254740993), int64(-1), int64(0), 1.0, 0.1, 1e21, -2.5e-9, float64(1 << 60), map[string]any{"a": 3.0, "b": int64(3)},
		}}
		got, err := q.Delete(t.Context(), object)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]any{"list": object["list"]}, got); diff != "" {
			t.Errorf("%s (-before +after):\n%s", where, diff)
		}
	}
}

func TestExpressionsThatCannotBeRead(t *testing.T) {
	for name, text := range map[string]string{
		"Open": ".a[", "Close": ".a)", "CloseOpen": ".a) | (.b", "Word": "nonsense", "Variable": "$x", "Sign": ".a |", "Text": `"abc`, "Function": "select(.a; .b)",
		"Module": `include "x"; .a`, "Import": `import "x" as x; .a`, "Input": "input", "Inputs": "[inputs] | .a", "File": ".a | select(input_filename)",
	} {
		_, err := Parse("red", "resource.customizations", text)
		var p *gitops.Problem
		if !errors.As(err, &p) || p.Kind != gitops.Invalid || !strings.Contains(p.What, fmt.Sprintf("the jq path expression %q of resource.customizations", text)) || !strings.Contains(p.Fix, "write a path such as .spec") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An expression sees the object, and nothing of where it is evaluated.
func TestNothingElseIsSeen(t *testing.T) {
	t.Setenv("CAUSEWAY_PLANTED", "x")
	for _, text := range []string{".a | select($ENV | length > 0)", ".a | select(env | length > 0)", ".a | select($ENV.CAUSEWAY_PLANTED == \"x\")"} {
		for where, q := range bothWays(t, text) {
			if paths, err := q.Paths(t.Context(), map[string]any{"a": int64(1)}); err != nil || len(paths) > 0 {
				t.Errorf("%s, %s: %v, %v", text, where, paths, err)
			}
		}
	}
}

// So many fields as nobody reads are an error to who asks for them, and can be left out all the same.
func TestManyPaths(t *testing.T) {
	object := func(n int) map[string]any { return map[string]any{"l": make([]any, n)} }
	for where, q := range bothWays(t, ".l[]") {
		if paths, err := q.Paths(t.Context(), object(maxPaths)); err != nil || len(paths) != maxPaths {
			t.Errorf("%s: %d, %v", where, len(paths), err)
		}
		_, err := q.Paths(t.Context(), object(maxPaths+1))
		if !gitops.IsProblem(err, gitops.Invalid) || !strings.Contains(err.Error(), "it names more than 10000 fields; have it name fewer fields") {
			t.Errorf("%s: %v", where, err)
		}
		if got, err := q.Delete(t.Context(), object(maxPaths+1)); err != nil || len(got["l"].([]any)) > 0 {
			t.Errorf("%s: %v", where, err)
		}
	}
}

func TestContextOfAnEvaluation(t *testing.T) {
	if Project(t.Context()) != "" || Project(Share(t.Context(), "red")) != "red" || Project(Share(Share(t.Context(), "red"), "blue")) != "blue" {
		t.Error("an evaluation is not of the project of its context")
	}
	ctx, cancel := context.WithCancel(Share(t.Context(), "red"))
	cancel()
	for where, q := range bothWays(t, ".a") {
		if _, err := q.Delete(ctx, map[string]any{"a": true}); !errors.Is(err, context.Canceled) || gitops.IsProblem(err, gitops.Invalid) {
			t.Errorf("%s: that nobody waits is no fault of the expression: %v", where, err)
		}
	}
}

// What makes nothing larger than it sees may be evaluated in the engine.
func TestPlainExpressions(t *testing.T) {
	loops := func(part string, n int) string { return strings.Repeat(part+" | ", n) + ".a" }
	cases := map[string]struct {
		reason, text string
		plain        bool
	}{
		"Loops":       {"a few loops", loops(".a[]", maxLoops), true},
		"Recursions":  {"as many descents", loops("..", maxLoops), true},
		"Descents":    {"and no more", loops("..", maxLoops+1), false},
		"Anys":        {"functions that iterate count", loops("select(any)", maxLoops+1), false},
		"Mixed":       {"together", loops("..", maxLoops/2) + " | " + loops(".[]", maxLoops/2+1), false},
		"Text":        {"a text that is put together", `.a."x\(.b)"`, false},
		"TextOf":      {"also in a comparison", `.a | select(. == "\(.b)")`, false},
		"Format":      {"a format", `.a | select(@base64 == "x")`, false},
		"Index":       {"an index that is looked up", ".a[.b]", false},
		"Negative":    {"one that is counted from the end", ".a[-1].b", true},
		"Minus":       {"what is negated is another value", "select(-.a == 1)", false},
		"Elif":        {"all branches are looked at", "if .a then .b elif [range(9)] then .c else .d end", false},
		"ElifPlain":   {"which may be plain", "if .a then .b elif .e then .c else .d end", true},
		"Else":        {"the last one, too", "if .a then .b else [.c] end", false},
		"NoElse":      {"which may be missing", "if .a then .b end", true},
		"Contains":    {"a constant is held against a value", `select(.a | contains("x"))`, true},
		"ContainsOf":  {"but no value against another", "select(.a | contains($__loc__))", false},
		"Pattern":     {"a short pattern", `select(.a | test("^x.*y$"; "i"))`, true},
		"LongPattern": {"a long one", `select(.a | test("` + strings.Repeat("x", 129) + `"))`, false},
		"Counts":      {"one that counts", `select(.a | test("x{9}"))`, false},
		"Classes":     {"one of Unicode's classes", `select(.a | test("\\pL"))`, false},
		"OwnName":     {"a function of its own may have any name", "def select(f): [f]; .a | select(.b)", false},
		"Update":      {"a change makes another object", ".a |= 1", false},
		"Sum":         {"a sum another value", "select(.a + .b == 1)", false},
		"Variable":    {"a variable holds on", ".a as $x | .b", false},
		"Label":       {"so does a way out", "label $f | .a | break $f", false},
		"Try":         {"a question mark does not", ".a?.b?", true},
		"Unknown":     {"what is not known to be plain is not", ".a | select(tojson == 1)", false},
	}
	for name, tc := range cases {
		query, err := gojq.Parse(tc.text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := isPlain(query); got != tc.plain {
			t.Errorf("%s: %s: %q is plain: %v", name, tc.reason, tc.text, got)
		}
	}
}
