package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// TestWhatShowsADamagedStore: it costs a whole fetch to make a store anew, so neither a
// server nor the disk has that done.
func TestWhatShowsADamagedStore(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, said string
		want         bool
	}{
		"Object":    {"an object that does not unpack", "fatal: loose object 1a2b (stored in objects/1a/2b) is corrupt", true},
		"Pack":      {"a pack that is none", "error: file objects/pack/pack-1.pack is far too short to be a packfile", true},
		"Index":     {"one whose index is of another", "error: packfile objects/pack/pack-1.pack does not match index", true},
		"Later":     {"in whatever line it says so", "fetching\nerror: bad object HEAD\ndone", true},
		"Gone":      {"a folder that is no store any longer", "fatal: not a git repository: 'store.git'", true},
		"Server":    {"a server tells of its own objects", "remote: fatal: loose object 1a2b is corrupt", false},
		"Behind":    {"which hides nothing of what git says afterwards", "remote: bad object\nfatal: bad object HEAD", true},
		"Network":   {"nor does a connection that ended", "fatal: the remote end hung up unexpectedly", false},
		"Full":      {"nor a full disk", "fatal: write error: No space left on device", false},
		"Forbidden": {"nor a credential that is not enough", "remote: Permission to o/r denied\nfatal: Authentication failed", false},
		"Nothing":   {"nor is nothing said", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := spoilt(errors.New(tc.said)); got != tc.want {
				t.Errorf("%s: got %v", tc.reason, got)
			}
		})
	}
	if spoilt(nil) {
		t.Error("what succeeded shows damage")
	}
}

// TestStoresAreSuspectedOnce: what is still wrong after a store was made anew is wrong
// with something else, and is told instead of fetched again and again.
func TestStoresAreSuspectedOnce(t *testing.T) {
	u := newUpstream(t)
	head := u.commit("first")
	absent := strings.Repeat("ab", 20)
	for name, tc := range map[string]struct {
		reason, foreign string
		err             error
		hash            string
		want            bool
	}{
		"Spoilt":  {"git finds it unreadable", "", errors.New("fatal: bad object HEAD"), head, true},
		"Lacking": {"what was fetched is not there", "", nil, absent, true},
		"There":   {"it is", "", nil, head, false},
		"Other":   {"the fetch failed for something else", "", errors.New("fatal: could not read from remote repository"), absent, false},
		"Foreign": {"a person's repository is never thrown away", "/somebody's", errors.New("fatal: bad object HEAD"), head, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRemote(t, u.dir, access.Credential{})
			snapshot(t, look(t, r), "main")
			r.store.foreign = tc.foreign
			got := []bool{r.store.suspect(tc.err, tc.hash), r.store.suspect(tc.err, tc.hash), r.store.damaged.Load()}
			if diff := cmp.Diff([]bool{tc.want, false, tc.want}, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWritesThatDoNotSucceed: a damaged store is made anew by who comes next; a full
// disk is somebody's to clear.
func TestWritesThatDoNotSucceed(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, foreign, said, tells string
		damaged                      bool
	}{
		"Damaged": {"git cannot read what is there", "", "fatal: bad object HEAD", "will be made again", true},
		"Foreign": {"in a person's repository it stays", "/somebody's", "fatal: bad object HEAD", "bad object", false},
		"Disk":    {"there is no room", "", "fatal: No space left on device", "No space left", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			s.foreign = tc.foreign
			err := s.unwritten(errors.New(tc.said))
			if !gitops.IsProblem(err, gitops.Unreachable) || !strings.Contains(err.Error(), tc.tells) || s.damaged.Load() != tc.damaged {
				t.Errorf("%s: %v, damaged is %v", tc.reason, err, s.damaged.Load())
			}
		})
	}
}

// TestCrashesAreRemoved: git writes a file each time that it gives up, and nothing else
// is removed with it.
func TestCrashesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"fast_import_crash_1", "fast_import_crash_22", "config", "my_fast_import_crash_1"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	removeCrashes(dir)
	entries, err := os.ReadDir(dir)
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if diff := cmp.Diff([]string{"config", "my_fast_import_crash_1"}, left); err != nil || diff != "" {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}
