package apply

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestStrip(t *testing.T) {
	cases := map[string]struct {
		reason string
		object string
		paths  []string
		want   string
	}{
		"Field": {"a field", `{"spec": {"a": 1, "b": 2}}`, []string{".spec.a"}, `{"spec": {"b": 2}}`},
		"Fields": {
			"fields whose names begin alike", `{"spec": {"a": 1, "ab": {"a": 1}, "a-b": 1, "abc": [{"x": 1}]}}`, []string{".spec.a", ".spec.ab.a", ".spec.a-b"},
			`{"spec": {"ab": {}, "abc": [{"x": 1}]}}`,
		},
		"Whole":  {"a field that goes with all below it", `{"spec": {"a": {"b": 1}}}`, []string{".spec.a", ".spec.a.b"}, `{"spec": {}}`},
		"Absent": {"a field that is not there", `{"spec": {"a": 1}}`, []string{".spec.b", ".other.a", ".spec.a.b", "nonsense", ".spec[x=1].a"}, `{"spec": {"a": 1}}`},
		"Dots":   {"names with dots", `{"data": {"a.b": {"c.d": 1, "c": 2}, "a": 1}}`, []string{".data.a.b.c.d"}, `{"data": {"a.b": {"c": 2}, "a": 1}}`},
		"Item":   {"a field of one item", `{"l": [{"name": "x", "a": 1}, {"name": "y", "a": 1}]}`, []string{`.l[name="x"].a`}, `{"l": [{"name": "x"}, {"name": "y", "a": 1}]}`},
		"Default": {
			"a key that is not there is a default", `{"l": [{"port": 53, "a": 1}, {"port": 53, "protocol": "TCP", "a": 1}, {"port": 54, "a": 1}]}`,
			[]string{`.l[port=53,protocol="UDP"].a`}, `{"l": [{"port": 53}, {"port": 53, "protocol": "TCP", "a": 1}, {"port": 54, "a": 1}]}`,
		},
		"Items": {
			"several fields of several items", `{"l": [{"name": "x", "a": 1, "b": {"c": 1, "d": 1}}, {"name": "x]", "a": 1}, {"name": "y"}, 1]}`,
			[]string{`.l[name="x"].a`, `.l[name="x"].b.c`, `.l[name="x]"].a`, `.l[name="z"].a`, `.l[0].a`, `.l[name="y"]`},
			`{"l": [{"name": "x", "b": {"d": 1}}, {"name": "x]"}, {"name": "y"}, 1]}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got, want map[string]any
			if err := errors.Join(json.Unmarshal([]byte(tc.object), &got), json.Unmarshal([]byte(tc.want), &want)); err != nil {
				t.Fatal(err)
			}
			strip(got, slices.Sorted(slices.Values(tc.paths)), 0)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
		})
	}
}

// typedError is what an API server says of an object with fields that it does not know.
func typedError(fields ...string) error {
	var text strings.Builder
	text.WriteString("failed to create typed patch object (demo/web; apps/v1, Kind=Deployment): errors:\n")
	for _, field := range fields {
		fmt.Fprintf(&text, "  %s: field not declared in schema\n", field)
	}
	return errors.New(text.String())
}

func TestUnknownFieldsAreBounded(t *testing.T) {
	some, many := make([]string, 500), make([]string, 40_000)
	spec := map[string]any{"kept": int64(1)}
	for i := range many {
		many[i] = fmt.Sprintf(".spec.f%06d", i)
	}
	for i := range some {
		some[i] = many[i]
		spec[strings.TrimPrefix(many[i], ".spec.")] = int64(1)
	}
	next, ok := treatment{}.after(typedError(some...))
	if !ok || len(next.without) != len(some) {
		t.Fatalf("%d of %d unknown fields are left out", len(next.without), len(some))
	}
	body, err := next.of(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "spec": spec}})
	if err != nil || strings.Contains(string(body), "f000") || !strings.Contains(string(body), "kept") {
		t.Errorf("it is sent as %.200s, %v", body, err)
	}
	if note := next.note(); len(note) > 2*maxText || !strings.Contains(note, "and 490 more") {
		t.Errorf("the note has %d bytes: %.200s", len(note), note)
	}
	if _, ok := next.after(typedError(some...)); ok {
		t.Error("what was left out, and is named again, is tried again")
	}
	for name, err := range map[string]error{
		"many fields": typedError(many...),
		"a long one":  typedError("." + strings.Repeat("x", 4<<20)),
		"long ones":   typedError("."+strings.Repeat("x", maxUnknownBytes-10), "."+strings.Repeat("y", 20)),
	} {
		if next, ok := (treatment{}).after(err); ok {
			t.Errorf("%s are left out: %d", name, len(next.without))
		}
	}
}

func TestTreatmentsAreForgotten(t *testing.T) {
	known := newTreatments()
	what := treatment{without: []string{"." + strings.Repeat("x", maxUnknownBytes-1)}}
	for i := range 100 {
		known.put(strconv.Itoa(i), what)
	}
	if got := known.get("99"); len(got.without) != 1 {
		t.Error("the newest is not known")
	}
	if got := known.get("0"); got.without != nil {
		t.Error("what objects need is remembered without a bound")
	}
}

func TestChangesAreWrittenWhereTheyAreShown(t *testing.T) {
	live, desired := map[string]any{}, map[string]any{}
	a, b := live, desired
	for i := range 64 {
		key := fmt.Sprintf("%02d%s", i, strings.Repeat("x", 1000))
		below, beside := map[string]any{}, map[string]any{}
		a[key], b[key] = below, beside
		a, b = below, beside
	}
	for i := range 2000 {
		b[fmt.Sprint("f", i)] = int64(1)
	}
	found := changes{prefixes: []string{"spec"}}
	found.of(map[string]any{"spec": live}, map[string]any{"spec": desired, "metadata": map[string]any{"name": "a"}})
	texts := found.texts()
	if len(texts) != maxChanges+1 || texts[maxChanges] != "and 1995 more" {
		t.Errorf("%d changes are told, the last is %q", len(texts), texts[len(texts)-1])
	}
	if all := strings.Join(texts, ", "); len(all) > 2000 {
		t.Errorf("they take %d bytes", len(all))
	}
}

func TestLeadsTo(t *testing.T) {
	for _, tc := range []struct {
		reason, prefix string
		path           []string
		want           bool
	}{
		{"the field itself", "spec.a", []string{"spec", "a"}, true},
		{"what is below it", "spec.a", []string{"spec", "a", "b"}, true},
		{"what is above it", "spec.a", []string{"spec"}, false},
		{"another with its beginning", "spec.a", []string{"spec", "ab"}, false},
		{"one that is its beginning", "spec.ab", []string{"spec", "a"}, false},
		{"one below that", "spec.ab", []string{"spec", "a", "b"}, false},
		{"a name with dots", "data.a.b", []string{"data", "a.b"}, true},
		{"one that goes on after a dot", "data.a", []string{"data", "a.b"}, true},
		{"another field", "spec", []string{"data"}, false},
	} {
		if leadsTo(tc.prefix, tc.path) != tc.want {
			t.Errorf("%s: %q leads to %q: %t", tc.reason, tc.prefix, tc.path, !tc.want)
		}
	}
}
