package document

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// TestFaultsNameTheirLine: whoever reads them has the whole file open, not the one
// document.
func TestFaultsNameTheirLine(t *testing.T) {
	const before = "# c\nkind: A\n---\n"
	for name, tc := range map[string]struct{ reason, text, want string }{
		"Syntax":    {"a text that is no YAML", "kind: B\nx: [\n", "line 5: did not find expected node content"},
		"Tab":       {"a tab is no indent", "kind: B\nx:\n\ty: 1\n", "line 6: found character that cannot start any token"},
		"Blank":     {"behind lines without content", "\n\n# d\nkind: B\nx: [\n", "line 8: did not find"},
		"Alias":     {"a name that nothing has", "kind: B\nx: *y\n", "line 4: unknown anchor 'y' referenced"},
		"NoKind":    {"the object starts there", "\n\nx: 1\n", "line 6: the object has no kind"},
		"EmptyKind": {"a kind is a text", "kind: \"\"\n", "line 4: the object has no kind"},
		"Number":    {"and no number", "kind: 5\n", "line 4: the object has no kind"},
		"List":      {"a list", "- kind: B\n", "line 4: the document is no mapping"},
		"Text":      {"a text", "kind\n", "line 4: the document is no mapping"},
		"JSONList":  {"also in JSON", "[{\"kind\":\"B\"}]", "line 4: the document is no mapping"},
		"JSON":      {"JSON that breaks off is YAML that does", "{\"kind\":\"B\",\n\"x\":", "line 5: did not find"},
	} {
		t.Run(name, func(t *testing.T) {
			docs, err := Read([]byte(before + tc.text))
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %s", tc.reason, err, tc.want)
			}
			if len(docs) != 1 || docs[0].Line != 2 {
				t.Errorf("%s: what is before it is %v", tc.reason, docs)
			}
		})
	}
}

// TestKeysThatStandTwice are told of, with their lines in the whole text, and the
// last of them counts.
func TestKeysThatStandTwice(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text string
		line         int
		says         []string
		not          string
		value        any
	}{
		"Once":    {"none does", "kind: A\nx: 2\n", 0, nil, "", int64(2)},
		"Twice":   {"one does", "kind: A\nx: 1\nx: 2\n", 3, []string{`key "x"`}, "line 3", int64(2)},
		"Later":   {"in a second document", "kind: B\n---\nkind: A\nx: 1\nx: 2\n", 5, []string{`key "x"`}, "", int64(2)},
		"Several": {"several do, each with its line", "kind: B\n---\nkind: A\nx: 1\nx: 2\nz: 1\nz: 2\n", 5, []string{`key "x"`, `; line 7: key "z"`}, "line 5: key", int64(2)},
		"Below":   {"in a mapping below", "kind: A\nx: 2\nz:\n  a: 1\n  a: 2\n", 5, []string{`key "a"`}, "", int64(2)},
		"Flow":    {"in braces", "kind: A\nx: 2\nz: {a: 1, a: 2}\n", 3, []string{`key "a"`}, "", int64(2)},
	} {
		t.Run(name, func(t *testing.T) {
			docs, err := Read([]byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			last := docs[len(docs)-1]
			if d := cmp.Diff(tc.value, last.Object.Object["x"]); d != "" {
				t.Errorf("%s:\n%s", tc.reason, d)
			}
			if (last.Duplicate != nil) != (tc.line > 0) {
				t.Fatalf("%s: it is told %v", tc.reason, last.Duplicate)
			}
			if tc.line == 0 {
				return
			}
			if last.Duplicate.Line != tc.line || tc.not != "" && strings.Contains(last.Duplicate.Text, tc.not) {
				t.Errorf("%s: it is told %v", tc.reason, last.Duplicate)
			}
			for _, want := range tc.says {
				if !strings.Contains(last.Duplicate.Text, want) {
					t.Errorf("%s: %q is not in %q", tc.reason, want, last.Duplicate.Text)
				}
			}
		})
	}
}

// TestCheckOfYAML finds what is no YAML in texts that need no objects, such as values.
func TestCheckOfYAML(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text string
		line         int
	}{
		"Empty":  {"nothing is wrong with nothing", "", 0},
		"Values": {"values have no kind", "a: 1\n---\n- b\n---\ntext\n", 0},
		"Twice":  {"that a key stands twice is for others to tell", "a: 1\na: 2\n", 0},
		"Broken": {"the line is that of the whole text", "a: 1\n---\nb: [\n", 3},
		"First":  {"the first fault counts", "a: [\n---\nb: [\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			got := Check([]byte(tc.text))
			if (got != nil) != (tc.line > 0) || got != nil && got.Line != tc.line {
				t.Errorf("%s: got %v", tc.reason, got)
			}
		})
	}
}

// TestFaultsWithoutALine: other errors are told as they are.
func TestFaultsWithoutALine(t *testing.T) {
	cause := errors.New("no such file")
	if got := AsError(cause); got.Line != 0 || got.Text != "no such file" || !errors.Is(got, cause) {
		t.Errorf("got %+v", got)
	}
	known := &Error{Line: 3, Text: "x", Err: cause}
	if got := AsError(errors.Join(errors.New("before"), known)); got != known || !errors.Is(got, cause) {
		t.Errorf("got %+v", got)
	}
}

// TestItemsOfLists: an object in a list is one, whatever the list is called.
func TestItemsOfLists(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		object map[string]any
		want   int
		fails  string
	}{
		"Empty":   {"a list without objects", map[string]any{"kind": "List", "items": []any{}}, 0, ""},
		"Absent":  {"a list of a CRD may be an object of its own", map[string]any{"kind": "AllowList"}, 1, ""},
		"Null":    {"a field that is not set is none", map[string]any{"kind": "Menu", "items": nil}, 1, ""},
		"Text":    {"what is no object is refused, by its place", map[string]any{"kind": "PodList", "items": []any{map[string]any{}, "x"}}, 0, "item 1 of the PodList is no object"},
		"Nothing": {"so is what is not there", map[string]any{"kind": "List", "items": []any{nil}}, 0, "item 0 of the List"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Open(&unstructured.Unstructured{Object: tc.object})
			if len(got) != tc.want || (err != nil) != (tc.fails != "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("%s: got %d, %v", tc.reason, len(got), err)
			}
		})
	}
}

// TestBudgetsAreShared: what one text took is not there for the next one.
func TestBudgetsAreShared(t *testing.T) {
	text := []byte("kind: A\nx: [1, 2, 3]\n")
	r := Within(bounded.NewBudget(10))
	reads := 0
	for ; reads < 100; reads++ {
		if _, err := r.Read(text); err != nil {
			if much := (*bounded.TooMuch)(nil); !errors.As(err, &much) {
				t.Errorf("got %v", err)
			}
			break
		}
	}
	if reads == 0 || reads > 3 {
		t.Errorf("%d texts fit", reads)
	}
	for range 3 {
		if _, err := Within(nil).Read(text); err != nil {
			t.Errorf("without a budget each text has its own: %v", err)
		}
	}
}

// TestWhatIsReadPlainly takes a library for all that may be read in more than one way.
func TestWhatIsReadPlainly(t *testing.T) {
	for text, plain := range map[string]bool{
		"kind: A\nx: 1\n": true, "": true, "---\n# c\n": true, "kind: A\nx: {a: [b, 'c']}\n": true, "kind: A\nx: |\n  a\n": true,
		"kind: A\nx: &a 1\n": false, "kind: A\nx: !!str 1\n": false, "kind: A\nx: >\n  a\n": false, "kind: A\nx: a\n  b\n": false,
		"kind: A\nx: ä\n": false, "kind: A\nx: 1\nx: 2\n": false, `{"kind":"A"}`: false, "kind: A\n<<: {}\n": false, "kind: A\nx: [\n": false,
	} {
		docs, err := Within(nil).Plainly().Read([]byte(text))
		if errors.Is(err, ErrNotPlain) == plain {
			t.Errorf("%q: %v, %v", text, docs, err)
		}
	}
	if _, err := Within(nil).Plainly().Read([]byte("x: 1\n")); err == nil || errors.Is(err, ErrNotPlain) {
		t.Errorf("a fault that is seen at once is told at once: %v", err)
	}
}
