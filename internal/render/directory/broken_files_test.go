package directory

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// A file that is broken after some objects is an error, as leaving out the rest would
// delete it. What is broken is told with its line.
func TestFilesThatAreBrokenInPart(t *testing.T) {
	const object = "apiVersion: v1\nkind: A\nmetadata: {name: a}\n"
	for name, tc := range map[string]struct {
		reason, file, text string
		want               []string // of the error
		objects            []string
		warnings           []string
	}{
		"Second":   {"the first document can be read, whatever words the second one has", "a.yaml", "kind: A\n---\n<<<<<<< HEAD\nx: [\n", []string{"cannot read manifest file app/a.yaml", "directory.exclude"}, nil, nil},
		"Late":     {"it looks like a manifest", "a.yaml", object + "data:\n  a: 'b\n", []string{"cannot read manifest file app/a.yaml"}, nil, nil},
		"Between":  {"values between objects are no object", "a.yaml", object + "---\nreplicas: 2\n---\n" + object, []string{"app/a.yaml:5"}, nil, nil},
		"Twice":    {"a key that stands twice may hide what was meant", "a.yaml", object + "data:\n  x: '1'\n  x: '2'\n", nil, []string{"A/a app/a.yaml:1"}, []string{"DuplicateKey app/a.yaml:6"}},
		"Comments": {"documents without anything are none", "a.yaml", "# only words\n---\n\n---\n" + object + "---\n# the end\n", nil, []string{"A/a app/a.yaml:5"}, nil},
		"Mark":     {"the mark of UTF-8 is no text", "a.yaml", "\ufeff" + object, nil, []string{"A/a app/a.yaml:1"}, nil},
		"Windows":  {"lines may end as on Windows", "a.yaml", strings.ReplaceAll(object+"---\n"+object, "\n", "\r\n"), nil, []string{"A/a app/a.yaml:1", "A/a app/a.yaml:5"}, nil},
		"OddUTF16": {"half a character at the end is none", "a.yaml", utf16Of(object, binary.LittleEndian) + "x", nil, []string{"A/a app/a.yaml:1"}, nil},
		"Empty":    {"nothing is nothing", "a.json", "", nil, nil, nil},
		"Blank":    {"nor are blanks", "a.json", " \n\t\n", nil, nil, nil},
		"JSONTwo":  {"a JSON file has one object", "a.json", "{\"kind\": \"A\"}\n{\"kind\": \"B\"}\n", []string{"a JSON file may hold one object only", "app/a.json:2"}, nil, nil},
		"JSONLine": {"it is told where it is broken", "a.json", "{\"kind\": \"A\",\n \"metadata\": {\"name\" \"a\"}}\n", []string{"cannot read manifest file app/a.json", "app/a.json:"}, nil, nil},
		"JSONHalf": {"or where it ends", "a.json", "{\"kind\": \"A\",\n", []string{"cannot read manifest file app/a.json"}, nil, nil},
		"JSONText": {"a text is no object", "a.json", `"kind"`, []string{"cannot read manifest file app/a.json"}, nil, nil},
		"Index":    {"the index of an OCI artifact lies beside it", "a.json", `{"schemaVersion": 2, "manifests": [{}]}`, nil, nil, []string{"SkippedFile app/a.json:1"}},
		"NoIndex":  {"an object of that version is one", "a.json", `{"schemaVersion": 2, "kind": "A", "metadata": {"name": "a"}, "layers": []}`, nil, []string{"A/a app/a.json:1"}, nil},
		"Skipped":  {"who wants it left out says so, anywhere in it, and however it is broken", "a.json", "{ // +argocd:skip-file-rendering", nil, nil, nil},
		"Program":  {"also a program", "a.jsonnet", "error 'no' // +argocd:skip-file-rendering", nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := sourceOf(t, treetest.Files{"app/" + tc.file: tc.text}, v1alpha1.ApplicationSourceDirectory{})
			got, err := Renderer{}.Render(t.Context(), s)
			if (err != nil) != (len(tc.want) > 0) {
				t.Fatalf("%s: %d objects, %v", tc.reason, len(got), err)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: got %v, want %q", tc.reason, err, want)
				}
			}
			check(t, tc.reason, tc.objects, tc.warnings, got, s)
		})
	}
}

// Lines of items are those of the list that is meant, however it is written; where that
// cannot be told, that of the list stands.
func TestLinesOfItems(t *testing.T) {
	const item = "{kind: A, metadata: {name: a}}"
	for name, tc := range map[string]struct {
		reason, text string
		want         []string
	}{
		"Flow":   {"all of them in one line", "kind: List\nitems: [" + item + ", " + item + "]\n", []string{"A/a app/a.yaml:2", "A/a app/a.yaml:2"}},
		"Alias":  {"an item that stands elsewhere is where it is named", "kind: List\nx: &x " + item + "\nitems:\n- *x\n", []string{"A/a app/a.yaml:4"}},
		"Other":  {"a list that stands elsewhere cannot be told", "kind: List\nx: &x [" + item + "]\nitems: *x\n", []string{"A/a app/a.yaml:1"}},
		"Second": {"of a later document from there on", "kind: B\nmetadata: {name: b}\n---\nkind: List\nitems:\n\n- " + item + "\n", []string{"B/b app/a.yaml:1", "A/a app/a.yaml:7"}},
		"Twice":  {"of two that are called so the last one counts", "kind: List\nitems: [1]\nitems:\n- " + item + "\n", []string{"A/a app/a.yaml:4"}},
		"None":   {"a list of nothing gives nothing", "kind: List\nitems: []\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := sourceOf(t, treetest.Files{"app/a.yaml": tc.text}, v1alpha1.ApplicationSourceDirectory{})
			got, err := Renderer{}.Render(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, m := range got {
				lines = append(lines, m.Object.GetKind()+"/"+m.Object.GetName()+" "+m.Origin.String())
			}
			if diff := cmp.Diff(tc.want, lines); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}
