package document

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// samples are texts at the borders of what is read directly.
var samples = []string{
	"kind: A\n", "kind: A", "kind: A\nx:\n  y: 1\n  z: [a]\n", "kind: A\nx:\n- a\n- b: c\n  d: e\n-\n",
	"kind: A\nx: |\n  one\n   two\n\n  three\n\n\ny: |-\n  a\n  b\n", "kind: A\nx: |\n\n  one\n", "kind: A\nx: |+\n  one\n\n", "kind: A\nx: |2\n   one\n",
	"kind: A\nx: |\n  one\n # less\n  two\n", "kind: A\nx: |\n  # a\n# b\ny: z\n", "kind: A\nx: |\n", "kind: A\nx: |\ny: |-\n", "kind: A\nx: >\n  a\n  b\n",
	"kind: A\nx: a\n  b\n", "kind: A\nx: a # c\n", "kind: A\nx: a#c\n", "kind: A\nx: http://h:1/p?q=1\n", "kind: A\nx: a: b\n", "kind: A\nx: a:\n", "kind: A\nx: 'a' \n", "kind: A\nx: 'a''b'\n", "kind: A\nx: \"a\\n\"\n", "kind: A\nx: \"a\" b\n",
	"kind: A\nx: 'a\n  b'\n", "kind: A\na: on\nb: 010\nc: 1e3\nd: 12\ne: 0x1f\nf: 1_000\ng: 1:30\nh: 0o7\ni: 0b11\nj: 1.50\nk: .5\nl: +1\nm: -1\nn: 1.\no: 1e400\np: 1.2.3\nq: 2001-01-01\nr: 9223372036854775807\ns: 9223372036854775808\nt: 18446744073709551616\nu: 1e21\nv: 123456789012345678\nw: -0\nz: .inf\n",
	"kind: A\ny: 1\n", "kind: A\non: 1\ntrue: 2\n", "kind: A\n1: 2\n", "kind: A\nnull: x\n", "kind: A\nx: ~\ny: null\nz:\n", "kind: A\nx: Null\ny: NULL\nz: nULL\n", "kind: A\nx: y\ny1: Yes\nz: No\na: OFF\n",
	"kind: A\nx: 1\nx: 2\n", "kind: A\nx: &a 1\ny: *a\n", "kind: A\n<<: {a: b}\n", "kind: A\nx: !!str 1\n", "kind: A\nx: {}\ny: []\nz: {} \n", "kind: A\nx: { }\n", "? kind\n: A\n",
	"kind: A\n  x: 1\n", "kind: A\nx:\n    y: 1\n  z: 2\n", "  kind: A\n  x: 1\n", "  kind: A\nx: 1\n", "kind: A\nx:\n- a\n  - b\n", "kind: A\nx:\n  - a\n - b\n", "kind: A\nx:\n  - - a\n    - b\n", "kind: A\nx:\n- y:\n  - z\n- y:\n    z: 1\n",
	"kind: A\nx:\n-  a: 1\n   b: 2\n", "kind: A\nx:\n- a: 1\n   b: 2\n", "kind: A\nx:\n- a:\n  - b\n  c: d\n", "kind: A\nx:\n- a:\n- b:\n", "kind: A\nx:\n-\n  a: 1\n", "kind: A\n- b\n", "kind: A\nx: - b\n", "kind: A\nx: -b\n", "kind: A\nx: \n  # c\n  y: 1\n# d\n  z: 2\n",
	"kind: A\nx:\ty\n", "kind: A\r\nx: y\r\n", "kind: A\nx: ä\n", "kind: A\nx: y\n...\nz: 1\n", "%YAML 1.1\nkind: A\n", "kind : A\n", "kind:A\n", "kind: A\nx: a, b\ny: a]b\nz: a{b\n", "kind: A\nx: @a\ny: `b\n", "kind: A\nx: %a\n", "kind: A\nx: ?a\n", "kind: A\nx: ,a\n",
	"kind: A\nx: $(a)\ny: (b)\nz: =\n", "kind: A\nx: a\n\n\n  # b\n\ny: c\n", "kind: A\nx: a  \n  \ny: b\n", "kind: A\nx: |\n  a  \n    \n  b\n   \ny: 1\n", "kind: A\nx: |\n  a\n    \n", "kind: A\nx:\n- |\n  a\n- b\n", "kind: A\nx:\n- kind: |\n    a\n  b: c\n", "kind: A\nx:\n- \"a: b\"\n- 'c'\n- d: 'e'\n",
	"kind: A\nx: !!binary aGk=\ny: !!timestamp 2001-01-01\n", "kind: A\nx: [1, 2.0, 1e3, {a: b}]\n", "# c\n\nkind: A\n", "a\n", "- a\n", "kind: A\n1.5: a\n", "kind: A\nx.y/z-1: a\n_a: b\n/b: c\n", "kind: A\nx:\n\n- a\n\n- b\n\n", "kind: A\nx:   \n  y:   z   \n", "kind: A\nx: a -b\n", "kind: A\nx:\n- -1\n- - 1\n- 1-\n",
}

// same compares what is read directly with what comes by way of JSON.
func same(t *testing.T, text []byte) (quick bool) {
	t.Helper()
	for _, part := range append(Split(text), splitLoose(text)...) {
		want, wantErr := part.byJSON()
		got, err := part.object(nil, false)
		if (err != nil) != (wantErr != nil) || (err != nil && err.Error() != wantErr.Error() && !bounded.Repeats(part.Text) && utf8.Valid(part.Text)) {
			t.Fatalf("%q: by JSON %v, directly %v", part.Text, wantErr, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%q: -by JSON +directly:\n%s", part.Text, d)
		}
		if fields, _, ok := readPlain(part.Text); ok {
			quick = true
			if want.Object != nil && !cmp.Equal(want.Object.Object, fields) {
				t.Fatalf("%q", part.Text)
			}
		}
	}
	return quick
}

func TestDirect(t *testing.T) {
	for _, text := range samples {
		same(t, []byte(text))
	}
	quick := "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a-b\n  labels:\n    app.kubernetes.io/name: \"x\"\n  # c\nspec:\n  replicas: 3\n  containers:\n  - name: main\n    image: h/x:1\n    args:\n      - --a=b\n      - c\n    tty: true\n    env: []\n  text: |\n    a: b\n\n      c\n"
	if !same(t, []byte(quick)) {
		t.Error("what most charts give is read by the library")
	}
}

// TestDifferentialFiles reads all YAML of the repository's neighbours both ways.
func TestDifferentialFiles(t *testing.T) {
	count, quick := 0, 0
	for _, root := range []string{"../../../examples", "../../../deploy", "../../../../shared/conformance/render", "../../../../shared/corpus"} {
		if _, err := os.Stat(root); err != nil {
			t.Logf("%s is not here", root)
			continue
		}
		err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(name, ".yaml") {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil || len(text) > 100_000 {
				return nil //nolint:nilerr // a link that leads nowhere
			}
			count++
			if same(t, text) {
				quick++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d files, %d of them read directly", count, quick)
}

// FuzzDirect holds that reading directly changes nothing.
func FuzzDirect(f *testing.F) {
	for _, text := range samples {
		f.Add([]byte(text))
		f.Add([]byte(strings.TrimPrefix(text, "kind: A\n")))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) < 10_000 {
			same(t, text)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	text := []byte(strings.Repeat("---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\n  labels:\n    app: x\nspec:\n  replicas: 3\n  template:\n    spec:\n      containers:\n      - name: main\n        image: \"h/x:1\"\n        ports:\n        - containerPort: 80\n", 10))
	b.Run("Direct", func(b *testing.B) {
		for b.Loop() {
			if _, err := ReadLoose(text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ByJSON", func(b *testing.B) {
		for b.Loop() {
			for _, p := range splitLoose(text) {
				if _, err := p.byJSON(); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
