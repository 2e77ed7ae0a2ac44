package jq

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestMain(m *testing.M) {
	Worker()
	os.Exit(m.Run())
}

func object() map[string]any {
	return map[string]any{
		"kind": "Deployment", "metadata": map[string]any{"name": "web", "labels": map[string]any{"app": "web", "team": "shop"}},
		"data": map[string]any{"config": `{"a":[1,2]}`},
		"spec": map[string]any{"replicas": int64(3), "ratio": 1.0, "half": 0.5, "paused": false, "nothing": nil, "containers": []any{
			map[string]any{"name": "web", "image": "nginx", "env": []any{map[string]any{"name": "A", "value": "1"}, map[string]any{"name": "B"}}},
			map[string]any{"name": "proxy", "image": "envoy"},
		}},
	}
}

// TestExpressionsThatTakeMemory runs what builds values without end. Each must
// be stopped, and must not have taken memory from this process.
func TestExpressionsThatTakeMemory(t *testing.T) {
	doubled := func(step string, times int) string { return strings.Repeat(step+" | ", times) }
	cases := map[string]struct{ reason, text string }{
		"Range":       {"a list of numbers", `[range(1e9)] | .a`},
		"Limit":       {"a list of texts", `[limit(1e8; repeat("xxxxxxxx"))] | .a`},
		"Repeat":      {"one text that is too long", `("x" * 2e9) | .a`},
		"RepeatTwice": {"a text that is repeated", `("x" * 1e4 * 1e5) | .a`},
		"Texts":       {"a text that doubles", `"xxxxxxxx" | ` + doubled(". + .", 40) + ".a"},
		"Until":       {"a text that doubles in a loop", `"x" | until(false; . + .) | .a`},
		"Lists":       {"a list that doubles", `[1] | ` + doubled(". + .", 40) + ".a"},
		"Reduce":      {"a list that grows", `reduce range(1e9) as $i ([]; . + [$i]) | .a`},
		"Fields":      {"an object that grows", `reduce range(1e9) as $i ({}; .["k\($i)"] = $i) | .a`},
		"Index":       {"an item far away", `[] | .[500000000] = 1 | .a`},
		"Implode":     {"a text of characters", `[range(1e8)] | implode | .a`},
		"Explode":     {"characters of a text", `("x" * 1e8) | explode | .a`},
		"Split":       {"parts of a text", `("x" * 1e8) / "" | .a`},
		"Match":       {"matches in a text", `("x" * 1e7) | [match(""; "g")] | .a`},
		"Gsub":        {"replacements in a text", `("x" * 1e6) | gsub("x"; "y" * 1000) | .a`},
		"Ways":        {"all combinations", `select([[range(100)] | combinations(20)] | length > 0) | .a`},
		"Tree":        {"a tree of shared branches, written out", `[] | ` + doubled("[., .]", 40) + "tojson | .a"},
		"Format":      {"the same as a format", `[] | ` + doubled("[., .]", 40) + "@base64 | .a"},
		"Quotes":      {"quotes within quotes", `"\"" | ` + doubled("tojson", 40) + ".a"},
		"Flatten":     {"shared branches, laid out", `[1] | ` + doubled("[., .]", 40) + "flatten | .a"},
		"Join":        {"a text between texts", `("x" * 1e6) as $x | [range(1e4) | "a"] | join($x) | .a`},
		"Deep":        {"paths that get longer", `repeat(.a)`},
		"Paths":       {"paths without end", `repeat(.)`},
		"Many":        {"more fields than bearable", doubled("(.a, .a)", 24) + ".a"},
		"Recursion":   {"a recursion that holds on", `def f: [., f]; f`},
		"Nesting":     {"a list in a list in a list", `[] | until(false; [.]) | .a`},
		"Same":        {"shared branches, compared: it takes time, and no memory", `[] | ` + doubled("[., .]", 50) + "select(. == ([] | " + doubled("[., .]", 50) + ".)) | .a"},
		"Caught":      {"what is caught", `try ([range(1e9)]) catch . | .a`},
		"Fromjson":    {"lists in a text", `("[" + "[]," * 3e7 + "1]") | fromjson | .a`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			q, err := Parse("red", "ignoreDifferences", tc.text)
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err = q.Delete(t.Context(), object())
			runtime.ReadMemStats(&after)
			if problem := (&gitops.Problem{}); !errors.As(err, &problem) || problem.Fix == "" ||
				!strings.Contains(err.Error(), "ignoreDifferences: it ") {
				t.Errorf("%s: got %v, want the bound that it reached", tc.reason, err)
			}
			const most = 512 << 20 // all that was ever allocated, with what was collected since
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("%s: it allocated %d MiB: %v", tc.reason, took>>20, err)
			}
		})
	}
}

// forms are what people write.
var forms = map[string]bool{ // whether it is evaluated in this process
	".spec.replicas":                            true,
	".":                                         true,
	".metadata.labels[\"app\"]":                 true,
	".metadata.labels[\"app\", \"team\"]":       true,
	".spec.containers[0].image":                 true,
	".spec.containers[-1]":                      true,
	".spec.containers[0,1].name":                true,
	".webhooks[]?.clientConfig.caBundle":        true,
	".webhooks[].clientConfig.caBundle":         true, // fails
	".. | .image?":                              true,
	"..|objects|.env?":                          true,
	".data | error(\"no\")":                     true,
	".spec | select(.replicas > 1) | .replicas": true,
	".spec.containers[] | select(.name == \"web\" or .name == \"x\") | .image":    true,
	".spec.containers[] | select(.name | test(\"^pro\")) | .image":                true,
	".spec.containers[] | select(any(.env[]?; .name == \"A\")) | .env":            true,
	".spec.containers[].env[]? | select(.name | startswith(\"A\")) | .value":      true,
	".spec | if .paused then .replicas else .containers[0] end":                   true,
	".spec.ratio // .spec.half":                                                   true,
	"first(.spec.containers[]) | .name":                                           true,
	".spec.containers[1:]":                                                        false,
	".spec.containers[:1] | .[].image":                                            false,
	".spec.containers[] | select(.name | IN(\"web\", \"x\")) | .image":            false,
	"limit(1; .spec.containers[]) | .image":                                       false,
	".spec.containers[range(0; 2)].image":                                         false,
	".spec.containers as $c | .metadata.labels | select($c[0].name == .app).app":  false,
	".data | select(.config | fromjson | .a | length == 2) | .config":             false,
	".spec.containers | .[(map(.name) | index(\"proxy\"))]":                       false,
	"def f: .image; .spec.containers[] | f":                                       false,
	".metadata.labels | .[keys[]]":                                                false,
	"getpath([\"spec\", \"replicas\"])":                                           false,
	"paths":                                                                       false, // fails
	"recurse(.spec? | objects) | .replicas?":                                      false,
	".spec.containers[] | select([.name, .image] | join(\":\") == \"web:nginx\")": false,
	".spec.containers[] | select(.name | test(\"w{1}\")) | .image":                false,
	"$ENV.HOME | .a": false,
	".spec.containers[] | select(.env | tostring | contains(\"A\")) | .env[].name": false,
}

// TestFormsInUse compares with what the interpreter's own del and path say.
func TestFormsInUse(t *testing.T) {
	for text, plain := range forms {
		t.Run(text, func(t *testing.T) {
			q, err := Parse("red", "ignoreDifferences", text)
			if err != nil {
				t.Fatal(err)
			}
			if q.plain != plain {
				t.Errorf("plain: %t", q.plain)
			}
			before := object()
			got, err := q.Delete(t.Context(), before)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := first(t, "del("+text+")").(map[string]any)
			if want == nil {
				want = object()
			}
			if diff := cmp.Diff(integers(want), any(got)); diff != "" {
				t.Errorf("without the fields (-want +got):\n%s", diff)
			}
			paths, err := q.Paths(t.Context(), before)
			if err != nil {
				t.Fatal(err)
			}
			if list, ok := first(t, "[path("+text+")]").([]any); ok && fmt.Sprint(list...) != fmt.Sprint(anyOf(paths)...) {
				t.Errorf("paths: got %v, want %v", paths, list)
			}
			if diff := cmp.Diff(object(), before); diff != "" {
				t.Errorf("it changed the object (-before +after):\n%s", diff)
			}
		})
	}
}

func first(t *testing.T, text string) any {
	t.Helper()
	query, err := gojq.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	v, _ := query.RunWithContext(t.Context(), numbers(object())).Next()
	return v
}

func TestLoopsWithinLoops(t *testing.T) {
	query, err := gojq.Parse(strings.Repeat(".a[] | ", maxLoops+1) + ".b")
	if err != nil {
		t.Fatal(err)
	}
	if isPlain(query) {
		t.Error("each loop holds a list: there is no bound")
	}
}

func TestPathsWithoutEnd(t *testing.T) {
	for _, text := range []string{"[range(1e9)] | .a", strings.Repeat("(.a, .a) | ", 16) + ".a", "repeat(.)"} {
		q, err := Parse("red", "ignoreDifferences", text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := q.Paths(t.Context(), object()); err == nil {
			t.Errorf("%s: there is no error", text)
		}
		if err := q.Failure(t.Context(), object()); err == nil && !q.plain {
			t.Errorf("%s: no failure is told", text)
		}
	}
}

// TestWorkersGoOn asks after a worker was ended for another's expression.
func TestWorkersGoOn(t *testing.T) {
	for range 3 {
		for text, fails := range map[string]bool{"[range(1e9)] | .a": true, ".spec.containers[1:]": false} {
			q, err := Parse("red", "ignoreDifferences", text)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := q.Delete(t.Context(), object()); (err != nil) != fails {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}
