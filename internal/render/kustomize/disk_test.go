package kustomize

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// diskOf has a repository of another one mounted beside its own, and a file and a folder
// that are in neither.
func diskOf(t *testing.T) *disk {
	t.Helper()
	s := setup{files: treetest.Files{"app/a.yaml": "near", "app/dir/b.yaml": "near"}}
	d := newDisk(t.Context(), s.source(t), flags{}, "app/kustomization.yaml", nil)
	far := setup{files: treetest.Files{"a.yaml": "far"}}
	d.mounts = append(d.mounts, &mount{tree: far.source(t).Tree, repo: "https://git.example/far", ref: "v1"})
	d.placed["/tree-0/app/.causeway-0/x.yaml"] = &placed{text: []byte("placed"), origin: origin{path: "x.yaml", repo: "https://git.example/web"}}
	d.folders["/chart-0"] = true
	return d
}

// TestPathsOfTheDisk: a repository has one name, so that nothing is read by another one.
func TestPathsOfTheDisk(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, path string
		text         string // nothing where there is no such file
		folder       bool
	}{
		"Near":     {"a file of the own repository", "/tree-0/app/a.yaml", "near", false},
		"Relative": {"the disk has no other folder to be in than its root", "tree-0/app/../app/./a.yaml", "near", false},
		"Far":      {"one of another repository", "/tree-1/a.yaml", "far", false},
		"Placed":   {"one that is in none", "/tree-0/app/.causeway-0/x.yaml", "placed", false},
		"Folder":   {"a folder", "/tree-0/app/dir", "", true},
		"Root":     {"the root of a repository", "/tree-1", "", true},
		"Made":     {"a folder that is in none", "/chart-0", "", true},
		"Top":      {"the disk's root is none of them", "/", "", false},
		"Zero":     {"a number is written in one way", "/tree-00/app/a.yaml", "", false},
		"Sign":     {"without a sign", "/tree-+0/app/a.yaml", "", false},
		"Negative": {"there is none before the first", "/tree--1/a.yaml", "", false},
		"Many":     {"nor after the last", "/tree-2/a.yaml", "", false},
		"Machine":  {"files of the machine are none", "/etc/passwd", "", false},
		"Climbing": {"nor do dots lead there", "/tree-0/../../../etc/passwd", "", false},
		"Below":    {"a file has nothing below it", "/tree-0/app/a.yaml/x", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			d := diskOf(t)
			text, err := d.ReadFile(tc.path)
			if string(text) != tc.text || (err == nil) != (tc.text != "") {
				t.Errorf("%s: it has %q, %v", tc.reason, text, err)
			}
			if got := d.IsDir(tc.path); got != tc.folder {
				t.Errorf("%s: that it is a folder is %v", tc.reason, got)
			}
			there := tc.folder || tc.text != ""
			if got := d.Exists(tc.path); got != there {
				t.Errorf("%s: that it is there is %v", tc.reason, got)
			}
			if _, _, err := d.CleanedAbs(tc.path); (err == nil) != there {
				t.Errorf("%s: its place is told with %v", tc.reason, err)
			}
		})
	}
}

// TestPlacesOnTheDisk: the library asks for the folder of a file to know what may be
// read from there.
func TestPlacesOnTheDisk(t *testing.T) {
	type place struct{ Dir, File string }
	d, got := diskOf(t), map[string]place{}
	for _, path := range []string{"/tree-0/app/dir/../a.yaml", "/tree-0/app/dir/", "/tree-0/app/.causeway-0/x.yaml", "/chart-0"} {
		dir, file, err := d.CleanedAbs(path)
		if err != nil {
			t.Fatal(err)
		}
		got[path] = place{dir.String(), file}
	}
	want := map[string]place{
		"/tree-0/app/dir/../a.yaml": {"/tree-0/app", "a.yaml"}, "/tree-0/app/dir/": {"/tree-0/app/dir", ""},
		"/tree-0/app/.causeway-0/x.yaml": {"/tree-0/app/.causeway-0", "x.yaml"}, "/chart-0": {"/chart-0", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	names, err := d.ReadDir("/tree-0/app")
	if diff := cmp.Diff([]string{"a.yaml", "dir"}, names); err != nil || diff != "" {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	if _, err := d.ReadDir("/"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the names of repositories are listed: %v", err)
	}
}

// TestTheDiskIsNotWrittenTo: a build leaves nothing behind, whatever a plugin tries.
func TestTheDiskIsNotWrittenTo(t *testing.T) {
	d := diskOf(t)
	const file = "/tree-0/app/a.yaml"
	for name, try := range map[string]func() error{
		"Create": func() error { _, err := d.Create(file); return err },
		"Write":  func() error { return d.WriteFile(file, nil) },
		"Make":   func() error { return errors.Join(d.Mkdir("/tree-0/x"), nil) },
		"Deep":   func() error { return d.MkdirAll("/tree-0/x/y") },
		"Remove": func() error { return d.RemoveAll("/tree-0") },
		"Walk":   func() error { return d.Walk("/tree-0", nil) },
		"Open":   func() error { _, err := filesys.FileSystem(d).Open(file); return err },
	} {
		if try() == nil {
			t.Errorf("%s: the library is told that it was done", name)
		}
	}
	if text, err := d.ReadFile(file); err != nil || string(text) != "near" {
		t.Errorf("it has %q, %v", text, err)
	}
}

// TestABuildReadsNoEnd: files are counted as often as they are read.
func TestABuildReadsNoEnd(t *testing.T) {
	d := diskOf(t)
	d.left = 6
	if _, err := d.ReadFile("/tree-0/app/a.yaml"); err != nil {
		t.Fatal(err)
	}
	_, err := d.ReadFile("/tree-0/app/a.yaml")
	if _, ok := asProblem(err); !ok || d.problem == nil {
		t.Errorf("the second time: %v, of which the build is told %v", err, d.problem)
	}
}

// TestOriginsOnTheDisk are what the library would say, had it read them itself: the own
// repository as seen from the kustomization, another one by its address.
func TestOriginsOnTheDisk(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, path string
		want         origin
	}{
		"Own":     {"a file of the folder", "/tree-0/app/a.yaml", origin{path: "a.yaml"}},
		"Beside":  {"one beside it", "/tree-0/base/b.yaml", origin{path: "../base/b.yaml"}},
		"Alike":   {"a folder whose name begins alike is beside it, too", "/tree-0/app2/b.yaml", origin{path: "../app2/b.yaml"}},
		"Above":   {"one above it", "/tree-0/c.yaml", origin{path: "../c.yaml"}},
		"Itself":  {"the folder itself", "/tree-0/app", origin{}},
		"Far":     {"one from elsewhere", "/tree-1/x/a.yaml", origin{path: "x/a.yaml", repo: "https://git.example/far", ref: "v1"}},
		"Placed":  {"one by its address", "/tree-0/app/.causeway-0/x.yaml", origin{path: "x.yaml", repo: "https://git.example/web"}},
		"Nowhere": {"what is in no repository has none", "/tree-7/a.yaml", origin{}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, diskOf(t).origin(tc.path), cmp.AllowUnexported(origin{})); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}
