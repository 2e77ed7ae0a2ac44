package document

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	type want struct {
		Lines     []int
		Error     int // its line
		Duplicate int
	}
	cases := map[string]struct {
		reason, text string
		want         want
	}{
		"Several":   {"documents know their first line", "# c\n---\nkind: A\n---\n\n# d\nkind: B\n", want{Lines: []int{3, 7}}},
		"Empty":     {"empty documents and comments give nothing", "---\n---\n# c\n--- # d\n", want{}},
		"BOM":       {"a byte order mark is no content", "\xef\xbb\xbfkind: A\n", want{Lines: []int{1}}},
		"Broken":    {"an error counts lines of the whole text", "kind: A\n---\nkind: B\nx: [\n", want{Lines: []int{1}, Error: 4}},
		"NoKind":    {"an object needs a kind", "a: b\n", want{Error: 1}},
		"List":      {"a list is no object", "- a\n", want{Error: 1}},
		"Duplicate": {"the last of two keys counts and is reported", "kind: A\nx: 1\nx: 2\n", want{Lines: []int{1}, Duplicate: 3}},
		"JSON":      {"JSON is read as it is", `{"kind":"A"}`, want{Lines: []int{1}}},
		"Inline":    {"content may follow the separator", "--- {kind: A}\n", want{Lines: []int{1}}},
		"Dashes":    {"four dashes separate nothing", "kind: A\nx: |\n  ----\n", want{Lines: []int{1}}},
		"CRLF":      {"lines may end as on Windows", "kind: A\r\n---\r\nkind: B\r\n", want{Lines: []int{1, 3}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			docs, err := Read([]byte(tc.text))
			var got want
			for _, d := range docs {
				got.Lines = append(got.Lines, d.Line)
				if d.Duplicate != nil {
					got.Duplicate = d.Duplicate.Line
				}
			}
			if err != nil {
				got.Error = AsError(err).Line
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s(%v)", tc.reason, diff, err)
			}
		})
	}
}

func TestReadLoose(t *testing.T) {
	docs, err := ReadLoose([]byte("kind: A\n---kind: B\n"))
	if err != nil || len(docs) != 2 {
		t.Errorf("a separator that runs into text separates template output: %v, %v", docs, err)
	}
}

func TestReadYAML11(t *testing.T) {
	docs, err := Read([]byte("kind: A\na: on\nb: 010\nc: 1e3\nd: 12\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"kind": "A", "a": true, "b": int64(8), "c": int64(1000), "d": int64(12)}
	if diff := cmp.Diff(want, docs[0].Object.Object); diff != "" {
		t.Errorf("values follow YAML 1.1: -want +got:\n%s", diff)
	}
}

func TestOpen(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         int
	}{
		"Object":  {"an object is itself", "kind: A", 1},
		"List":    {"items are opened whatever the kind", "kind: XList\nitems: [{kind: A}, {kind: B}]", 2},
		"Null":    {"a list of nothing is empty", "kind: AList\nitems: null", 0},
		"NotList": {"a field items that is no list stays", "kind: A\nitems: {a: b}", 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			docs, err := Read([]byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := Open(docs[0].Object)
			if err != nil || len(got) != tc.want {
				t.Errorf("%s: got %d objects, %v; want %d", tc.reason, len(got), err, tc.want)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("kind: A\n---\nkind: List\nitems: [{}]\n"))
	f.Add([]byte("---apiVersion: v1\n--- # c\n{\"kind\": 1}"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, read := range []func([]byte) ([]Document, error){Read, ReadLoose} {
			docs, err := read(text)
			lines := 1
			for _, c := range text {
				if c == '\n' {
					lines++
				}
			}
			for _, d := range docs {
				if d.Line < 1 || d.Line > lines {
					t.Fatalf("line %d of %d", d.Line, lines)
				}
				d.Object.DeepCopy()
				_, _ = Open(d.Object)
			}
			if err != nil && AsError(err).Line < 0 {
				t.Fatalf("an error before the first line: %v", err)
			}
		}
	})
}
