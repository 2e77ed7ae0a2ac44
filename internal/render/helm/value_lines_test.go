package helm

import (
	"strings"
	"testing"
)

// TestLinesOfValues: a person is led to the line that counts, whatever YAML makes of it.
func TestLinesOfValues(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text, path string
		want               int
	}{
		"Top":        {"a key", "a: 1\nb: 2\n", "b", 2},
		"Below":      {"a key of a mapping", "a:\n  b:\n    c: 1\n", "a.b.c", 3},
		"Flow":       {"in one line", "a: {b: {c: 1}}\n", "a.b.c", 1},
		"Repeated":   {"of two equal keys the last counts", "a: 1\nb: 2\na: 3\n", "a", 3},
		"Alias":      {"what an alias stands for is where its anchor is", "x: &x\n  b: 1\na: *x\n", "a.b", 2},
		"Merged":     {"so is what a merge key brings", "x: &x\n  b: 1\na:\n  <<: *x\n  c: 1\n", "a.b", 2},
		"Own":        {"unless the mapping has it itself, wherever the merge key is", "x: &x\n  b: 1\na:\n  b: 2\n  <<: *x\n", "a.b", 4},
		"First":      {"of several that are merged the first counts", "x: &x\n  b: 1\ny: &y\n  b: 2\na:\n  <<: [*y, *x]\n", "a.b", 4},
		"Through":    {"what is merged may have merged it", "x: &x\n  b: 1\ny: &y\n  <<: *x\na:\n  <<: *y\n", "a.b", 2},
		"Text":       {"a key that looks like a merge key may be none", "x: &x\n  b: 1\na:\n  \"<<\": *x\n", "a.b", 0},
		"Gone":       {"one that is not there", "a: {b: 1}\n", "a.c", 0},
		"BelowText":  {"nor is anything below a text", "a: b\n", "a.b", 0},
		"BelowList":  {"or a list", "a: [b]\n", "a.0", 0},
		"List":       {"a text may be a list itself", "- a\n", "a", 0},
		"Documents":  {"the first document is read", "a: 1\n---\nb: 1\n", "b", 0},
		"Head":       {"a comment before it counts as lines do", "# values\n\n---\na: 1\n", "a", 4},
		"JSON":       {"the object of an Application is JSON", `{"a":{"b":1}}`, "a.b", 1},
		"Broken":     {"a text that is none has no lines", "a: [\n", "a", 0},
		"Nothing":    {"nor has none", "", "a", 0},
		"Comments":   {"nor have comments", "# a: 1\n", "a", 0},
		"Unicode":    {"a line is one whatever is in it", "\u00e9: 1\n\u597d: 1\nb: 2\n", "b", 3},
		"ManyValues": {"nor has a text that is too much to read", strings.Repeat("- {}\n", 500_000), "a", 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := linesOf([]byte(tc.text)).of(strings.Split(tc.path, ".")); got != tc.want {
				t.Errorf("%s: line %d, want %d", tc.reason, got, tc.want)
			}
		})
	}
}

// TestLinesOfNamedItems: parameters of an Application may have one name twice.
func TestLinesOfNamedItems(t *testing.T) {
	const text = "parameters:\n- name: a\n- {name: b}\n- value: x\n- name: a\n- text\nother: {name: a}\n"
	for name, tc := range map[string]struct {
		reason, list string
		at           int
		item         string
		want         int
	}{
		"Place":   {"the one at the place", "parameters", 3, "a", 5},
		"First":   {"the first one where another name is at the place", "parameters", 1, "a", 2},
		"Beyond":  {"or nothing is", "parameters", 9, "a", 2},
		"Nobody":  {"none has the name", "parameters", 2, "c", 0},
		"NoName":  {"an item without a name has not the empty one", "parameters", 2, "", 0},
		"NoList":  {"what is no list has no items", "other", 0, "a", 0},
		"Missing": {"nor has what is not there", "none", 0, "a", 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := linesOf([]byte(text)).named(tc.list, tc.at, tc.item); got != tc.want {
				t.Errorf("%s: line %d, want %d", tc.reason, got, tc.want)
			}
		})
	}
}
