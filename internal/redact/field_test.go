package redact

import "testing"

func TestHasWide(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		value  any
		want   bool
	}{
		"None":        {"nothing has no fields", nil, false},
		"Text":        {"a text has none, whatever it says", "source", false},
		"Field":       {"values of Helm are below it", map[string]any{"source": nil}, true},
		"Deep":        {"at any depth", map[string]any{"spec": map[string]any{"x": map[string]any{"template": "t"}}}, true},
		"Lists":       {"also in lists of lists", []any{1, []any{map[string]any{"stringData": "x"}}}, true},
		"Copy":        {"what was last applied is a copy of all", map[string]any{"kubectl.kubernetes.io/last-applied-configuration": "{}"}, true},
		"Other":       {"other fields are told", map[string]any{"spec": map[string]any{"project": "x", "syncPolicy": []any{"data"}}}, false},
		"Case":        {"names of fields have a case", map[string]any{"Source": "x", "DATA": "x"}, false},
		"Part":        {"and are not parts of others", map[string]any{"sourceRepos": "x", "database": "x"}, false},
		"Other maps":  {"only what JSON is decoded to", map[string]string{"source": "x"}, false},
		"Empty lists": {"an empty list has nothing", []any{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := HasWide(tc.value); got != tc.want {
				t.Errorf("%s: got %t", tc.reason, got)
			}
		})
	}
	if !Wide("sources") || Wide("sourcesx") || Wide("") {
		t.Error("names are not taken as they are written")
	}
}
