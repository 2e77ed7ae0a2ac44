package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func pack(t testing.TB, entries ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, h := range entries {
		body := h.Uname // the tests' way to carry content
		h.Uname = ""
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(body))
		}
		if h.Typeflag != tar.TypeXGlobalHeader {
			h.Mode = 0o644
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, body); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func regular(name, body string) tar.Header {
	return tar.Header{Typeflag: tar.TypeReg, Name: name, Uname: body}
}

var limits = Limits{Bytes: 1 << 20, Files: 100}

func TestUnpackChart(t *testing.T) {
	data := pack(t, regular("web/Chart.yaml", "name: web"), regular("./web/templates/a.yaml", "a"),
		tar.Header{Typeflag: tar.TypeSymlink, Name: "web/link", Linkname: "templates/a.yaml"})
	tree, err := UnpackChart(bytes.NewReader(data), limits)
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(tree, "Chart.yaml", "templates/a.yaml", "link"); err != nil {
		t.Error(err)
	}
	other, err := UnpackChart(bytes.NewReader(pack(t, regular("web/templates/a.yaml", "a"), regular("web/Chart.yaml", "name: web"), regular("web/link", "a"))), limits)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".", "templates", "Chart.yaml"} {
		a, errA := tree.Digest(name)
		b, errB := other.Digest(name)
		if a != b || errA != nil || errB != nil {
			t.Errorf("%s: the same content has the same digest: %s, %s", name, a, b)
		}
	}
}

func TestUnpackRefuses(t *testing.T) {
	cases := map[string]struct {
		reason string
		data   []byte
		want   string
	}{
		"traversal": {"a path that leaves", pack(t, regular("../../etc/passwd", "x")), "leads out"},
		"absolute":  {"an absolute path", pack(t, regular("/etc/passwd", "x")), "leads out"},
		"symlink":   {"a link that leaves", pack(t, tar.Header{Typeflag: tar.TypeSymlink, Name: "a/b", Linkname: "../../x"}), "leads out"},
		"root":      {"an absolute link", pack(t, tar.Header{Typeflag: tar.TypeSymlink, Name: "a/b", Linkname: "/etc"}), "leads out"},
		"bomb":      {"it unpacks to too much", pack(t, regular("a", strings.Repeat("0", 2<<20))), "more than 1 MiB"},
		"both":      {"a file that is also a folder", pack(t, regular("a", "x"), regular("a/b", "x")), "both"},
		"garbage":   {"no archive at all", []byte("<html>not found</html>"), "cannot read"},
		"empty":     {"nothing", nil, "cannot read"},
		"cut":       {"half of it", pack(t, regular("a", strings.Repeat("x", 9999)))[:40], "cannot read"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Unpack(bytes.NewReader(c.data), limits)
			var p *gitops.Problem
			if !errors.As(err, &p) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %q", c.reason, err, c.want)
			}
		})
	}
	var many []tar.Header
	for range 101 {
		many = append(many, regular("x", ""))
	}
	if _, err := Unpack(bytes.NewReader(pack(t, many...)), limits); err == nil {
		t.Error("too many files")
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(pack(f, regular("web/Chart.yaml", "name: web")))
	f.Add([]byte("x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := UnpackChart(bytes.NewReader(data), limits)
		if err != nil {
			return
		}
		err = fs.WalkDir(tree, ".", func(_ string, _ fs.DirEntry, err error) error { return err })
		if err != nil {
			t.Error(err)
		}
	})
}

// TestUnpackIsDeterministic: one archive, which a digest or a signature names, has one
// content each time.
func TestUnpackIsDeterministic(t *testing.T) {
	link := func(name, target string) tar.Header {
		return tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target}
	}
	chain := []tar.Header{regular("x/Chart.yaml", "name: x"), regular("x/l", "the file")}
	for before := "l"; len(chain) < 40; {
		next := before + "l"
		chain, before = append(chain, link("x/"+next, before)), next
	}
	data := pack(t, append(chain, link("x/around", "about"), link("x/about", "around"), link("x/ll", "l"))...)
	first := ""
	for range 50 {
		tree, err := UnpackChart(bytes.NewReader(data), limits)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = tree.root()
		}
		last, err := tree.ReadFile(strings.Repeat("l", 39))
		if tree.root() != first || err != nil || string(last) != "the file" {
			t.Fatalf("the content is %s, then %s; the last link leads to %q: %v", first, tree.root(), last, err)
		}
	}
	for range 50 {
		_, err := UnpackChart(bytes.NewReader(pack(t, regular("a/Chart.yaml", "name: a"), regular("b/values.yaml", "evil: true"), regular("a/values.yaml", "good: true"))), limits)
		if err == nil || !strings.Contains(err.Error(), "both a/values.yaml and b/values.yaml") {
			t.Fatalf("two files that become one: got %v", err)
		}
	}
}

// TestLinkOverFile: of a link and a file with one name, what is read does not depend on
// which other links there are.
func TestLinkOverFile(t *testing.T) {
	data := pack(t, regular("Chart.yaml", "name: x"), regular("a", "a"), regular("b", "b"),
		tar.Header{Typeflag: tar.TypeSymlink, Name: "a", Linkname: "b"}, tar.Header{Typeflag: tar.TypeSymlink, Name: "c", Linkname: "a"})
	first := ""
	for range 50 {
		tree, err := UnpackChart(bytes.NewReader(data), limits)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = tree.root()
		}
		if tree.root() != first {
			t.Fatal("it has two contents")
		}
	}
}
