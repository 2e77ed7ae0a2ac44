package argocd

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

// selecting reads a selection as a request has it.
func selecting(t *testing.T, paths ...string) *fields {
	t.Helper()
	c := &call{Request: httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil), query: query(url.Values{"fields": paths})}
	out, err := c.fields()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSelectionsOfFields(t *testing.T) {
	const from = `{"a":{"b":1,"c":[{"d":2,"e":3},{"d":4}]},"f":12345678901234567890,"g":null}`
	for name, tc := range map[string]struct {
		reason string
		paths  []string
		want   string
	}{
		"Everything":       {"nothing is asked for", nil, from},
		"Nothing":          {"nothing is named", []string{""}, from},
		"Lists":            {"a path goes through lists", []string{"a.c.d"}, `{"a":{"c":[{"d":2},{"d":4}]}}`},
		"Several":          {"several times as well as once", []string{"a.b", "g"}, `{"a":{"b":1},"g":null}`},
		"Whole, then part": {"a part of what is wanted as a whole takes nothing of it away", []string{"a,a.b"}, `{"a":{"b":1,"c":[{"d":2,"e":3},{"d":4}]}}`},
		"Part, then whole": {"in either order", []string{"a.b,a.c.d,a"}, `{"a":{"b":1,"c":[{"d":2,"e":3},{"d":4}]}}`},
		"Without":          {"all but some", []string{"-a.c.d,g"}, `{"a":{"b":1,"c":[{"e":3},{}]},"f":12345678901234567890}`},
		"Without, whole":   {"what goes as a whole does, whatever else is named of it", []string{"-a.b,a"}, `{"f":12345678901234567890,"g":null}`},
		"Numbers":          {"a large number stays itself", []string{"f"}, `{"f":12345678901234567890}`},
		"Below a value":    {"below what is no object there is nothing more", []string{"f.x"}, `{"f":12345678901234567890}`},
		"Of none":          {"what is not there is not made up", []string{"a.x,y"}, `{"a":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := selecting(t, tc.paths...).of(json.RawMessage(from))
			text, again := json.Marshal(got)
			if err != nil || again != nil || string(text) != tc.want {
				t.Errorf("%s: got %s, %v, want %s", tc.reason, text, err, tc.want)
			}
		})
	}
}

// What was worked out for some fields is told to who asks for the same ones, in whatever order,
// and to nobody else.
func TestSelectionsThatAreTheSame(t *testing.T) {
	name := func(paths string) string { return selecting(t, paths).named() }
	for _, paths := range []string{"b.c,a", "a,b.c,b.c", "a,a.x,b.c"} {
		if name(paths) != name("a,b.c") {
			t.Errorf("%s is another selection", paths)
		}
	}
	for _, paths := range []string{"-a,b.c", "a", "a,b", "a.b.c", "a,bc", ""} {
		if name(paths) == name("a,b.c") {
			t.Errorf("%s is the same selection", paths)
		}
	}
}
