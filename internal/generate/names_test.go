package generate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Names that are made of other texts are names of Kubernetes, or empty: what has a dash or a
// dot at an end is refused by each API server.
func TestNormalizedNames(t *testing.T) {
	long := strings.Repeat("a", 252)
	for text, want := range map[string]string{
		"web": "web", "My_App Name!": "my-app-name", "a.b-c": "a.b-c", "--a..": "a", "": "", "___": "", ".": "",
		"Ünïcode": "n-code", "команда": "", "a/b\\c": "a-b-c", "a\nb": "a-b", "😀x": "x", "İ": "i",
		long + ".b": long, long + "bc": long + "b", long + "-": long,
	} {
		got := normalize(text)
		if got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		if wrong := validation.IsDNS1123Subdomain(got); got != "" && len(wrong) > 0 && !strings.Contains(text, "..") {
			t.Errorf("%q becomes %q, which is no name: %v", text, got, wrong)
		}
	}
}

func TestSlugsOfTemplates(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		args   []any
		want   string
		fails  string
	}{
		"Text":     {"words are joined by single dashes", []any{"My  App__Name!"}, "my-app-name", ""},
		"Usual":    {"fifty characters, cut between words", []any{strings.Repeat("word ", 20)}, strings.TrimSuffix(strings.Repeat("word-", 10), "-"), ""},
		"Length":   {"as many as are asked for", []any{8, "some words"}, "some", ""},
		"Fits":     {"whole words that fit stay", []any{10, "some words more"}, "some-words", ""},
		"OneWord":  {"a word that is too long is cut", []any{4, "sentence"}, "sent", ""},
		"Anywhere": {"or wherever it ends", []any{7, false, "some words"}, "some-wo", ""},
		"NoLimit":  {"no length is any", []any{0, strings.Repeat("a", 100)}, strings.Repeat("a", 100), ""},
		"Negative": {"as is less than none", []any{-1, "some words"}, "some-words", ""},
		"Exact":    {"what is as long stays", []any{4, "some"}, "some", ""},
		"Nothing":  {"what has no letter is empty", []any{"!?"}, "", ""},
		"None":     {"there is no text", nil, "", "slugify takes 1 to 3 arguments, not 0"},
		"More":     {"there is more", []any{1, true, 2, "a"}, "", "slugify takes 1 to 3 arguments, not 4"},
		"Number":   {"a number is no text", []any{7}, "", "slugify needs a text, not int"},
		"Missing":  {"nor is what a cluster lacks", []any{nil}, "", "slugify needs a text, not <nil>"},
		"NoNumber": {"a length is a number", []any{"8", "a"}, "", "slugify needs a whole number as length, not string"},
		"Float":    {"and a whole one", []any{8.0, "a"}, "", "slugify needs a whole number as length, not float64"},
		"NoBool":   {"a switch is one", []any{8, "true", "a"}, "", "slugify needs true or false as second argument, not string"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := slugify(tc.args...)
			if got != tc.want || (err != nil) != (tc.fails != "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("%s: got %q, %v; want %q", tc.reason, got, err, tc.want)
			}
		})
	}
}

// Files of parameters are read as templates read texts: a map, or a list of maps, of any YAML.
func TestObjectsOfFiles(t *testing.T) {
	r := &repo{Snapshot: &gitops.Snapshot{Revision: "1"}, url: "https://git.example.com/fleet"}
	for name, tc := range map[string]struct {
		reason, text string
		want         []map[string]any
		fails        bool
	}{
		"Map":      {"one map", "a: 1\nb: {c: d}\n", []map[string]any{{"a": float64(1), "b": map[string]any{"c": "d"}}}, false},
		"JSON":     {"of JSON", `{"a": [1, "x", null]}`, []map[string]any{{"a": []any{float64(1), "x", nil}}}, false},
		"List":     {"several maps", "- a: 1\n- {}\n", []map[string]any{{"a": float64(1)}, {}}, false},
		"Empty":    {"a file without anything is a map without anything", "", []map[string]any{{}}, false},
		"Comments": {"as is one of words alone", "# a\n---\n# b\n", []map[string]any{{}}, false},
		"None":     {"a list of nothing gives nothing", "[]", nil, false},
		"Mark":     {"the mark of UTF-8 is no text", "\ufeffa: b\n", []map[string]any{{"a": "b"}}, false},
		"Alias":    {"what is named elsewhere is there", "x: &x {a: b}\nv: *x\nz: {<<: *x, c: d}\n", []map[string]any{{"x": map[string]any{"a": "b"}, "v": map[string]any{"a": "b"}, "z": map[string]any{"a": "b", "c": "d"}}}, false},
		"Keys":     {"keys are texts, too", "1: a\ntrue: b\n", []map[string]any{{"1": "a", "true": "b"}}, false},
		"Text":     {"a text is no map", "hello\n", nil, true},
		"Number":   {"nor is a number", "7\n", nil, true},
		"Mixed":    {"nor is an item that is a text", "- a: 1\n- b\n", nil, true},
		"Nested":   {"nor is a list in a list", "- [a]\n", nil, true},
		"Broken":   {"what is no YAML", "a: [\n", nil, true},
		"Tabs":     {"nor is what has tabs before it", "a:\n\tb: c\n", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := objectsOf(r, "envs/a.yaml", []byte(tc.text))
			if (err != nil) != tc.fails || err != nil && (!strings.Contains(err.Error(), "envs/a.yaml") || !strings.Contains(err.Error(), "make it a YAML or JSON map, or a list of maps")) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if len(got) == 0 && len(tc.want) == 0 {
				return
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
