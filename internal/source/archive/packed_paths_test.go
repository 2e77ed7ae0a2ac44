package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// symbolic is a link as tar has it: by the link's folder.
func symbolic(name, target string) tar.Header {
	return tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target}
}

// hard is a link by the archive's root.
func hard(name, target string) tar.Header {
	return tar.Header{Typeflag: tar.TypeLink, Name: name, Linkname: target}
}

// held are the files of a tree with their contents.
func held(tree *Tree) map[string]string {
	out := map[string]string{}
	for name, n := range tree.nodes {
		if !n.folder {
			out[name] = string(n.data)
		}
	}
	return out
}

// Programs write paths in several ways, and pack more than files.
func TestWhatAnArchiveHolds(t *testing.T) {
	chart := regular("web/Chart.yaml", "c")
	for name, tc := range map[string]struct {
		reason  string
		entries []tar.Header
		chart   bool
		want    map[string]string
	}{
		"Dot":       {"tar of a folder itself begins with ./", []tar.Header{{Typeflag: tar.TypeDir, Name: "./"}, regular("./a", "1")}, false, map[string]string{"a": "1"}},
		"Odd":       {"empty parts and those that lead back mean nothing", []tar.Header{regular("a//b/../c", "1")}, false, map[string]string{"a/c": "1"}},
		"Windows":   {"a path of Windows is one", []tar.Header{regular(`web\templates\a.yaml`, "1")}, false, map[string]string{"web/templates/a.yaml": "1"}},
		"Unicode":   {"names may be of any language", []tar.Header{regular("größe/ñandú.yaml", "1")}, false, map[string]string{"größe/ñandú.yaml": "1"}},
		"Twice":     {"of a file that was appended again the last counts, as for tar", []tar.Header{regular("a", "1"), regular("./a", "2")}, false, map[string]string{"a": "2"}},
		"Others":    {"devices, pipes, empty folders and what git archive says of itself are left out", []tar.Header{{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "x"}}, {Typeflag: tar.TypeFifo, Name: "p"}, {Typeflag: tar.TypeChar, Name: "d"}, {Typeflag: tar.TypeDir, Name: "e/"}, regular("a", "1")}, false, map[string]string{"a": "1"}},
		"Nothing":   {"an archive of nothing is a tree", nil, false, map[string]string{}},
		"Symbolic":  {"a link counts from its folder", []tar.Header{regular("a/x", "1"), regular("x", "2"), symbolic("a/l", "x"), symbolic("a/m", "../x")}, false, map[string]string{"a/x": "1", "x": "2", "a/l": "1", "a/m": "2"}},
		"Hard":      {"a hard one from the root", []tar.Header{regular("a/x", "1"), regular("x", "2"), hard("a/l", "x")}, false, map[string]string{"a/x": "1", "x": "2", "a/l": "2"}},
		"Before":    {"a link may stand before its file", []tar.Header{symbolic("l", "a"), regular("a", "1")}, false, map[string]string{"a": "1", "l": "1"}},
		"Dangling":  {"a link to nothing, to a folder or to itself is no file", []tar.Header{symbolic("l", "gone"), symbolic("m", "d"), symbolic("n", "n"), regular("d/a", "1")}, false, map[string]string{"d/a": "1"}},
		"Chart":     {"the chart's folder is its root", []tar.Header{chart, regular("web/a/b", "1"), symbolic("web/l", "a/b"), hard("web/m", "web/a/b")}, true, map[string]string{"Chart.yaml": "c", "a/b": "1", "l": "1", "m": "1"}},
		"Beside":    {"what lies beside the folder is none of the chart", []tar.Header{chart, regular("README.md", "1")}, true, map[string]string{"Chart.yaml": "c"}},
		"Flat":      {"a chart may have no folder", []tar.Header{regular("Chart.yaml", "c"), regular("a/b", "1")}, true, map[string]string{"Chart.yaml": "c", "a/b": "1"}},
		"Subcharts": {"charts inside of it stay where they are", []tar.Header{chart, regular("web/charts/db/Chart.yaml", "1")}, true, map[string]string{"Chart.yaml": "c", "charts/db/Chart.yaml": "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			read := Unpack
			if tc.chart {
				read = UnpackChart
			}
			packed := pack(t, tc.entries...)
			plain, err := gzip.NewReader(bytes.NewReader(packed))
			if err != nil {
				t.Fatal(err)
			}
			for way, from := range map[string]io.Reader{"packed": bytes.NewReader(packed), "as it is": plain} {
				tree, err := read(from, limits)
				if err != nil {
					t.Fatalf("%s, %s: %v", tc.reason, way, err)
				}
				if diff := cmp.Diff(tc.want, held(tree)); diff != "" {
					t.Errorf("%s, %s (-want +got):\n%s", tc.reason, way, diff)
				}
			}
		})
	}
}

// A path that cannot be taken is told for what it is: who packed it corrects that.
func TestPathsThatAreNotTaken(t *testing.T) {
	long := strings.Repeat("d/", maxPath/2) + "a"
	for name, tc := range map[string]struct {
		reason string
		entry  tar.Header
		says   string
	}{
		"Climbs":  {"it leads out after leading in", regular("a/../../x", ""), `path "a/../../x" leads out of the archive; keep the path inside the chart or artifact`},
		"Windows": {"also as Windows writes it", regular(`..\x`, ""), `path "../x" leads out of the archive`},
		"Root":    {"a file is not the root", regular("./.", ""), `path "." leads out of the archive`},
		"Link":    {"both ends of a link are told", symbolic("a/l", "../../x"), `path "a/l -> ../../x" leads out of the archive`},
		"Hard":    {"a hard link leads out by the root", hard("a/l", "../x"), `path "a/l -> ../x" leads out of the archive`},
		"Latin":   {"a name of another encoding leads nowhere", regular("gr\xf6\xdfe.yaml", ""), `the path "gr\xf6\xdfe.yaml" in the archive is no UTF-8; give the file a name in UTF-8, and pack it again`},
		"Long":    {"nor does a long one", regular(long, ""), "in the archive is longer than 1024 bytes; shorten it, and pack it again"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.entry.Format = tar.FormatGNU // which keeps names as they are
			_, err := Unpack(bytes.NewReader(pack(t, tc.entry)), limits)
			if err == nil || !strings.Contains(err.Error(), tc.says) || !gitops.IsProblem(err, gitops.Invalid) || len(err.Error()) > 300 {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// A digest says what a tree holds, and nothing but that: who finds the same one
// renders nothing again.
func TestWhatChangesDigests(t *testing.T) {
	digest := func(files map[string][]byte) string {
		tree, err := NewTree(files)
		if err != nil {
			t.Fatal(err)
		}
		return tree.root()
	}
	folder, err := NewTree(map[string][]byte{"d/a": []byte("1")})
	if err != nil {
		t.Fatal(err)
	}
	of, err := folder.Digest("d/a")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for name, files := range map[string]map[string][]byte{
		"nothing":        {},
		"a file":         {"a": []byte("1")},
		"empty":          {"a": nil},
		"another text":   {"a": []byte("2")},
		"another name":   {"b": []byte("1")},
		"another folder": {"d/a": []byte("1")},
		"a folder of it": {"a/1": nil},
		"two":            {"a": []byte("1"), "b": []byte("1")},
		"two, exchanged": {"a": []byte("1b"), "b": nil},
		"a forgery":      {"d": []byte("folder\x00a\x00" + of + "\n")},
		"lines":          {"a\nb": []byte("1")},
	} {
		d := digest(files)
		if other, twice := known[d]; twice {
			t.Errorf("%s has the digest of %s", name, other)
		}
		known[d] = name
		if again := digest(files); again != d {
			t.Errorf("%s has another digest each time", name)
		}
	}
}

// What a reader gets is its own: a tree is shared, and has to stay as it was signed.
func TestTreesAreNotChangedByReaders(t *testing.T) {
	tree, err := NewTree(map[string][]byte{"a": []byte("one"), "d/b": []byte("two")})
	if err != nil {
		t.Fatal(err)
	}
	first, err := tree.ReadFile("a")
	if err != nil {
		t.Fatal(err)
	}
	copy(first, "XXX")
	list, err := tree.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	list[0], list[1] = list[1], list[0]
	again, err := tree.ReadDir(".")
	if text, errText := tree.ReadFile("a"); err != nil || errText != nil || string(text) != "one" || again[0].Name() != "a" {
		t.Errorf("the tree has %q, and lists %v first: %v, %v", text, again[0].Name(), err, errText)
	}
}
