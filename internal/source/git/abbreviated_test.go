package git

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// TestAbbreviatedCommits has commits in the store that no reference leads to.
func TestAbbreviatedCommits(t *testing.T) {
	u := newUpstream(t)
	u.write("a.yaml", "1")
	first := u.commit("first")
	u.write("a.yaml", "2")
	second := u.commit("second")
	tree := u.git("rev-parse", "HEAD^{tree}")
	stray := u.git("commit-tree", "-m", "stray", tree)
	u.git("config", "uploadpack.allowAnySHA1InWant", "true")
	r := newRemote(t, u.dir, access.Credential{})
	v := look(t, r)
	if got := snapshot(t, v, stray); got.Revision != stray {
		t.Errorf("by its whole name: got %s", got.Revision)
	}
	if got := snapshot(t, v, first[:8]); got.Revision != first {
		t.Errorf("of the history: got %s", got.Revision)
	}
	if s, err := v.Snapshot(t.Context(), stray[:8]); err == nil || !isNotFound(err) {
		t.Errorf("what no reference leads to: got %v, %v", s, err)
	}

	u.write("a.yaml", "3")
	third := u.commit("third")
	v = look(t, r)
	snapshot(t, v, "main")
	for _, want := range []string{first, second, third} {
		if got := snapshot(t, v, strings.ToUpper(want[:9])); got.Revision != want {
			t.Errorf("after a new commit: got %s, want %s", got.Revision, want)
		}
	}
	if _, err := v.Snapshot(t.Context(), stray[:8]); err == nil {
		t.Error("a new look-up takes what no reference leads to")
	}
}

// TestAbbreviatedCommitsAlike has a commit in the store whose name was made to begin
// as another one's does.
func TestAbbreviatedCommitsAlike(t *testing.T) {
	u := newUpstream(t)
	u.write("a.yaml", "1")
	first := u.commit("first")
	r := newRemote(t, u.dir, access.Credential{})
	snapshot(t, look(t, r), "main")
	const digits = 4
	tree := u.git("rev-parse", "HEAD^{tree}")
	var text string
	for n := 0; ; n++ {
		text = fmt.Sprintf("tree %s\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n%d\n", tree, n)
		sum := sha1.Sum(fmt.Appendf(nil, "commit %d\x00%s", len(text), text))
		if strings.HasPrefix(hex.EncodeToString(sum[:]), first[:digits]) {
			break
		}
	}
	if _, err := r.store.command.run(t.Context(), r.store.dir, session{}, strings.NewReader(text), "hash-object", "-t", "commit", "-w", "--stdin"); err != nil {
		t.Fatal(err)
	}
	if n := len(r.store.alike(t.Context(), first[:digits])); n < 2 {
		t.Fatalf("there are %d commits alike", n)
	}
	tips, err := listed(t, first+"\trefs/heads/main\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.store.among(t.Context(), first[:digits], tips); got != first || err != nil {
		t.Errorf("got %q, %v, want %s", got, err, first)
	}
}

func isNotFound(err error) bool {
	var p *gitops.Problem
	return errors.As(err, &p) && p.Kind == gitops.NotFound
}
