package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

func newVault(t *testing.T, dir string) *Vault {
	t.Helper()
	c, err := NewCommand(t.TempDir(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	v := NewVault(c, dir, cache.New[string, any](8<<20), 1<<20)
	t.Cleanup(v.Close)
	return v
}

// plainTree is a tree of files that come from anywhere.
type plainTree struct{ fstest.MapFS }

func (plainTree) Digest(string) (string, error) { return "", nil }

func plainFiles(all map[string]string) plainTree {
	out := fstest.MapFS{}
	for name, text := range all {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return plainTree{out}
}

var room = VaultLimits{Bytes: 1 << 20, Files: 100}

// TestVaultsAreByContent: a name says all that a tree holds, wherever it came from.
func TestVaultsAreByContent(t *testing.T) {
	u := newUpstream(t)
	u.write("a/b.yaml", "1")
	u.write("c.yaml", "2")
	u.commit("first")
	v := newVault(t, filepath.Join(t.TempDir(), "vault"))
	files := plainFiles(map[string]string{"a/b.yaml": "1", "c.yaml": "2"})
	name, err := v.Take(t.Context(), files, room)
	if want := u.git("rev-parse", "HEAD^{tree}"); err != nil || name != want {
		t.Fatalf("got %s, %v, want %s", name, err, want)
	}
	if again, err := v.Take(t.Context(), files, room); err != nil || again != name {
		t.Errorf("a second time: %s, %v", again, err)
	}
	tree, err := v.Tree(name, gitops.Origin{})
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(tree, "a/b.yaml", "c.yaml"); err != nil {
		t.Error(err)
	}
	u.write("d.yaml", "3")
	u.commit("second")
	fetched := snapshot(t, look(t, newRemote(t, u.dir, access.Credential{})), "main").Tree
	other, err := v.Take(t.Context(), fetched, VaultLimits{}) // what Git has is not held in memory
	if err != nil || other != u.git("rev-parse", "HEAD^{tree}") || !v.Has(other) {
		t.Errorf("a tree of a repository: %s, %v", other, err)
	}
	reader := newVault(t, v.dir)
	if !reader.Has(name) || reader.Has(strings.Repeat("1", sha1Digits)) {
		t.Error("who only reads does not find what is there")
	}
	if err := v.Keep(t.Context(), map[string]bool{other: true, strings.Repeat("1", sha1Digits): true, "main": true}); err != nil {
		t.Fatal(err)
	}
	if v.Has(name) || !v.Has(other) {
		t.Errorf("kept are the first: %t, the other: %t", v.Has(name), v.Has(other))
	}
}

// TestTreesThatAVaultRefuses are bounded before they are there.
func TestTreesThatAVaultRefuses(t *testing.T) {
	deep := strings.Repeat("d/", maxFolders+1) + "x"
	for name, tc := range map[string]struct {
		reason string
		files  map[string]string
		limits VaultLimits
		want   string
	}{
		"Full":  {"as much as there is room for", map[string]string{"a": "12", "b": "34"}, VaultLimits{Bytes: 4, Files: 2}, ""},
		"Bytes": {"a byte more", map[string]string{"a": "12", "b": "345"}, VaultLimits{Bytes: 4, Files: 2}, "over the limit of one tree, at b"},
		"Files": {"a file more", map[string]string{"a": "1", "b": "", "c": ""}, VaultLimits{Bytes: 4, Files: 2}, "over the limit of one tree, at c"},
		"Deep":  {"folders in one another", map[string]string{deep: "1"}, VaultLimits{Bytes: 4, Files: 1000}, "more than 100 folders in one another"},
		"Empty": {"nothing to mirror", nil, room, "there are no files"},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVault(t, filepath.Join(t.TempDir(), "vault"))
			_, err := v.Take(t.Context(), plainFiles(tc.files), tc.limits)
			if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

// TestVaultsOfStrangers may lie in a checkout: their objects are their own, and what
// was never there is not made by who reads it.
func TestVaultsOfStrangers(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	v := newVault(t, none)
	if err := v.Keep(t.Context(), nil); err != nil || v.Has(emptyTree) {
		t.Errorf("there is none: %v", err)
	}
	if damaged, err := v.Damaged(t.Context(), []string{emptyTree}); err != nil || len(damaged) != 1 {
		t.Errorf("what is not there is not whole: %v, %v", damaged, err)
	}
	if _, err := os.Stat(none); !os.IsNotExist(err) {
		t.Errorf("reading made it: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	lent := t.TempDir()
	put(t, lent, "objects/info/alternates", "/elsewhere\n")
	for reason, dir := range map[string]string{"the vault is a link": link, "its objects are another one's": lent} {
		v := newVault(t, dir)
		if _, err := v.Take(t.Context(), plainFiles(map[string]string{"a": "1"}), room); !gitops.IsProblem(err, gitops.Refused) || v.Has(emptyTree) {
			t.Errorf("%s: %v", reason, err)
		}
	}
}
