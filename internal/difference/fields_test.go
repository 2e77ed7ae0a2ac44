package difference

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestForgetSet(t *testing.T) {
	cases := map[string]struct {
		reason, object, set, want string
		has                       bool
	}{
		"Field":   {"a field", `{"a": 1, "b": 2}`, `{"f:a": {}}`, `{"b": 2}`, true},
		"Below":   {"a field of a mapping, not the mapping", `{"a": {"b": 1, "c": 1}}`, `{"f:a": {".": {}, "f:b": {}}}`, `{"a": {"c": 1}}`, true},
		"Each":    {"fields of several mappings", `{"a": {"x": 1}, "b": {"x": 1, "y": 1}, "c": 1}`, `{"f:a": {"f:x": {}}, "f:b": {"f:x": {}}, "f:c": {}}`, `{"a": {}, "b": {"y": 1}}`, true},
		"Absent":  {"what is not there", `{"a": {"b": 1}, "l": [1]}`, `{"f:b": {}, "f:a": {"f:b": {"f:c": {}}}, "f:l": {"f:x": {}}}`, `{"a": {"b": 1}, "l": [1]}`, false},
		"Members": {"members of a set", `{"l": ["a", "b", "c", 1]}`, `{"f:l": {"v:\"a\"": {}, "v:\"c\"": {}, "v:1": {}, "v:\"1\"": {}}}`, `{"l": ["b"]}`, true},
		"Items": {
			"fields of items, those that are their keys among them", `{"l": [{"name": "x", "a": 1, "z": 1}, {"name": "y", "a": 1}, "odd"]}`,
			`{"f:l": {"k:{\"name\":\"x\"}": {".": {}, "f:a": {}, "f:name": {}, "f:z": {}}}}`, `{"l": [{}, {"name": "y", "a": 1}, "odd"]}`, true,
		},
		"Item": {"a whole item", `{"l": [{"p": 1, "q": "TCP"}, {"p": 1, "q": "UDP"}]}`, `{"f:l": {"k:{\"p\":1,\"q\":\"UDP\"}": {}}}`, `{"l": [{"p": 1, "q": "TCP"}]}`, true},
		"Keys": {
			"items with different keys", `{"l": [{"p": 1, "a": 1}, {"p": 2, "q": "x", "a": 1}]}`,
			`{"f:l": {"k:{\"p\":1}": {"f:a": {}}, "k:{\"p\":2,\"q\":\"x\"}": {"f:a": {}}}}`, `{"l": [{"p": 1}, {"p": 2, "q": "x"}]}`, true,
		},
		"Index":  {"items by their place", `{"l": ["a", "b", "c"]}`, `{"f:l": {"i:0": {}, "i:2": {}, "i:7": {}}}`, `{"l": ["b"]}`, true},
		"Nested": {"a key that is no scalar is nobody's", `{"l": [{"name": {"a": 1}}, ["a"]]}`, `{"f:l": {"k:{\"name\":\"a\"}": {}, "v:\"a\"": {}}}`, `{"l": [{"name": {"a": 1}}, ["a"]]}`, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got, want map[string]any
			set := &fieldpath.Set{}
			err := errors.Join(json.Unmarshal([]byte(tc.object), &got), json.Unmarshal([]byte(tc.want), &want), set.FromJSON(strings.NewReader(tc.set)))
			if err != nil {
				t.Fatal(err)
			}
			if HasAny(got, set.Leaves()) != tc.has {
				t.Errorf("%s: whether there is any is %t", tc.reason, !tc.has)
			}
			ForgetSet(got, set)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
		})
	}
}

// BenchmarkForgetSet has each member of a list with many named, as who writes the list can.
func BenchmarkForgetSet(b *testing.B) {
	const many = 10_000
	var text strings.Builder
	items := make([]any, many)
	for i := range many {
		items[i] = fmt.Sprintf("a.b/%08d", i)
		fmt.Fprintf(&text, `,"v:\"%s\"":{}`, items[i])
	}
	set := &fieldpath.Set{}
	if err := set.FromJSON(strings.NewReader(`{"f:l":{".":{}` + text.String() + `}}`)); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		object := map[string]any{"l": append([]any(nil), items...)}
		if ForgetSet(object, set); !HasAny(map[string]any{"l": items}, set) || HasAny(object, set.Leaves()) {
			b.Fatal("some are left")
		}
	}
}

func TestDistinct(t *testing.T) {
	many := []string{}
	for i := range 3 * fewTexts {
		many = append(many, strconv.Itoa(i), strconv.Itoa(i/2))
	}
	for name, tc := range map[string]struct{ list, want []string }{
		"Nothing": {nil, nil},
		"Few":     {[]string{"a", "b", "a", "c", "b"}, []string{"a", "b", "c"}},
	} {
		if diff := cmp.Diff(tc.want, distinct(tc.list)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	got, seen := distinct(many), map[string]bool{}
	for _, s := range got {
		if seen[s] {
			t.Errorf("%s is there twice", s)
		}
		seen[s] = true
	}
	if len(got) != 3*fewTexts || got[0] != "0" || got[1] != "1" {
		t.Errorf("of %d different texts %d are left: %q", 3*fewTexts, len(got), got)
	}
}
