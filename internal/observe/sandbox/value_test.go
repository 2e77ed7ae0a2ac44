package sandbox

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twoMiB makes a text of that length.
const twoMiB = `local s = "xxxxxxxxxxxxxxxx" for i = 1, 17 do s = s .. s end `

// TestResultsThatAreNone: what is no JSON is no result, and the error says of what kind it was.
func TestResultsThatAreNone(t *testing.T) {
	const keys = "neither a list nor a map of texts"
	cases := map[string]struct{ reason, source, want string }{
		"Cycle":      {"a table in itself", `local t = {} t.a = {t} return t`, "a table that holds itself"},
		"Deep":       {"tables in tables", `local t = {} for i = 1, 300 do t = {t} end return t`, "in more than 200 others"},
		"Mixed":      {"a list with names", `return {1, 2, x = 3}`, keys},
		"MixedNames": {"names with a number", `return {x = 3, [7] = 1}`, keys},
		"Gap":        {"a list with a gap", `return {1, nil, 3}`, keys},
		"Late":       {"a list that does not begin at its beginning", `return {[2] = "a"}`, keys},
		"Fraction":   {"an index that is no whole number", `return {[1.5] = "a"}`, keys},
		"Flags":      {"flags as names", `return {[true] = 1}`, keys},
		"NaN":        {"a number that is none", `return {a = 0/0}`, "a number that is none"},
		"Infinite":   {"one without end", `return 1/0`, "a number that is none"},
		"Function":   {"a function", `return {f = print}`, "returned a function"},
		"Many":       {"one table very many times", `local t = {} for i = 1, 20 do t = {t, t, t} end return t`, "more than 1048576 values"},
		"Texts":      {"one text many times", twoMiB + `local t = {} for i = 1, 33 do t[i] = s end return t`, "more than 64 MiB of texts"},
		"Names":      {"a long name in a table that is there many times", twoMiB + `local one, t = {[s] = 1}, {} for i = 1, 33 do t[i] = one end return t`, "more than 64 MiB of texts"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got, err := New(tc.source).Run(nil); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, %v; want %q", tc.reason, got, err, tc.want)
			}
		})
	}
}

// TestTablesMayBeThereTwice: only a table in itself has no end.
func TestTablesMayBeThereTwice(t *testing.T) {
	got, err := New(`local t = {a = "b"} return {first = t, second = t}`).Run(nil)
	one := map[string]any{"a": "b"}
	if diff := cmp.Diff(map[string]any{"first": one, "second": one}, got); err != nil || diff != "" {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}

// TestWhatScriptsAreGiven says how values of an object look to a script, and come back from it.
func TestWhatScriptsAreGiven(t *testing.T) {
	cases := map[string]struct {
		reason      string
		given, want any
	}{
		"Null":      {"null is nothing", map[string]any{"a": nil, "b": "c"}, map[string]any{"b": "c"}},
		"NullItem":  {"and hides nothing behind it in a list", []any{nil, "a", nil, "b"}, []any{"a", "b"}},
		"Empty":     {"no fields are no items", map[string]any{}, []any{}},
		"Int":       {"numbers of each form are one to a script", []any{int64(1), 2, 2.5}, []any{1.0, 2.0, 2.5}},
		"Large":     {"whole numbers beyond those of a float lose their end", int64(math.MaxInt64), float64(math.MaxInt64)},
		"Written":   {"a number as it was written is a text", json.Number("1e3"), "1e3"},
		"Bytes":     {"a text is its bytes", "a\x00é\xff", "a\x00é\xff"},
		"Unknown":   {"what is no JSON is nothing", map[string]any{"a": struct{}{}, "b": []string{"c"}, "d": true}, map[string]any{"d": true}},
		"Confusing": {"names that look like numbers stay names", map[string]any{"1": "a"}, map[string]any{"1": "a"}},
	}
	p := New(`return obj`)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := p.Run(map[string]any{"obj": tc.given})
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%s: %v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

// TestObjectsAreCutWhereTheyAreDeep: a script sees an object of very many levels down to a bound.
func TestObjectsAreCutWhereTheyAreDeep(t *testing.T) {
	const depth = `local n, here = 0, obj while here do n, here = n + 1, here.a end return n`
	if got, err := New(depth).Run(map[string]any{"obj": deep(2 * maxDepth)}); err != nil || got != float64(maxDepth) {
		t.Errorf("a script sees %v levels, %v", got, err)
	}
	// Nor does it get more than an interpreter can be given.
	huge := make([]any, maxGiven/bytesPerTable)
	for i := range huge {
		huge[i] = []any{}
	}
	if _, err := New(depth).Run(map[string]any{"obj": map[string]any{"a": huge}}); !errors.Is(err, errGiven) || errors.Is(err, errBudget) {
		t.Errorf("got %v", err)
	}
}
