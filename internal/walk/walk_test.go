package walk_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/walk"
	"github.com/causeway-gitops/causeway/internal/walk/walktest"
)

func through(w *walk.Walk) error {
	return fs.WalkDir(w, ".", func(_ string, _ fs.DirEntry, err error) error { return err })
}

func TestBounds(t *testing.T) {
	cases := map[string]struct {
		reason string
		tree   fs.FS
		want   string
	}{
		"small":      {"what repositories have is walked as it is", fstest.MapFS{"a/b/c.yaml": {}, "d.yaml": {}}, ""},
		"bomb":       {"ten folders of ten folders of ten are more than there are", walktest.Bomb{Deep: 10}, "more than 200000 files and folders"},
		"deep":       {"a hundred folders in one another are enough", fstest.MapFS{strings.Repeat("d/", 102) + "x": {}}, "more than 100 folders deep"},
		"just right": {"and so many are walked", fstest.MapFS{strings.Repeat("d/", 100) + "x": {}}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := walk.Over(t.Context(), tc.tree)
			err := through(w)
			if tc.want == "" {
				if err != nil || w.Err() != nil {
					t.Fatalf("%s: %v", tc.reason, err)
				}
				return
			}
			var p *gitops.Problem
			if err == nil || !strings.Contains(err.Error(), tc.want) || !errors.As(err, &p) || p.Fix == "" {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			if !errors.Is(w.Err(), err) {
				t.Errorf("who passes over errors is not told: %v", w.Err())
			}
		})
	}
}

func TestWalksEndWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := walk.Over(ctx, walktest.Bomb{Deep: 10})
	if _, err := w.ReadDir("d0"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := through(w); !errors.Is(err, context.Canceled) {
		t.Errorf("a walk nobody waits for goes on: %v", err)
	}
}

func TestPartsAreNoWhole(t *testing.T) {
	w := walk.Over(t.Context(), walktest.Bomb{Deep: 10})
	found, err := fs.Glob(w, "*/*/*/*/*/*/*/*/*.yaml")
	if err != nil || len(found) != 0 {
		t.Fatalf("a library that passes over errors gave %d, %v", len(found), err)
	}
	if w.Err() == nil {
		t.Error("it is not told that more could be there")
	}
}

// unreadable is a tree of which some cannot be listed.
type unreadable struct {
	fstest.MapFS

	why map[string]error
}

// ReadDir implements fs.ReadDirFS.
func (u unreadable) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := u.why[name]; err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: err}
	}
	return u.MapFS.ReadDir(name)
}

// TestFoldersThatCannotBeListed: libraries pass over them, and whoever walks by one has
// to know that something may be missing.
func TestFoldersThatCannotBeListed(t *testing.T) {
	away := gitops.Problemf(gitops.Unreachable, "the host does not answer")
	for name, tc := range map[string]struct {
		reason string
		asked  []string
		want   error
	}{
		"All":     {"all that was asked for was listed", []string{".", "a"}, nil},
		"Refused": {"a folder that is there", []string{"refused", "a"}, fs.ErrPermission},
		"First":   {"the first one is told", []string{"refused", "away"}, fs.ErrPermission},
		"File":    {"a file is no folder", []string{"a/b.yaml"}, nil},
		"Missing": {"what is not there holds nothing", []string{"none"}, nil},
		"Away":    {"nobody knows what is there while its host is away", []string{"away"}, away},
	} {
		t.Run(name, func(t *testing.T) {
			tree := unreadable{fstest.MapFS{"a/b.yaml": {}, "refused/c.yaml": {}}, map[string]error{"refused": fs.ErrPermission, "away": away, "a/b.yaml": errors.New("not a directory")}}
			w := walk.Over(t.Context(), tree)
			for _, dir := range tc.asked {
				_, _ = w.ReadDir(dir)
			}
			if got := w.Unlisted(); !errors.Is(got, tc.want) || w.Err() != nil {
				t.Errorf("%s: %v, %v", tc.reason, got, w.Err())
			}
		})
	}
}

// TestLongNamesAreCut where a letter ends: a repository may name a folder as it likes.
func TestLongNamesAreCut(t *testing.T) {
	w := walk.Over(t.Context(), fstest.MapFS{})
	_, err := w.ReadDir(strings.Repeat("/", walk.MaxDepth) + strings.Repeat("\u00e9", 1000))
	if err == nil || len(err.Error()) > 500 || !strings.Contains(err.Error(), "\u00e9…") {
		t.Errorf("it says %v", err)
	}
}
