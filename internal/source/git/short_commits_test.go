package git

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	if got, err := r.store.among(t.Context(), first[:digits], search{refs: tips}); got != first || err != nil {
		t.Errorf("got %q, %v, want %s", got, err, first)
	}
}

func isNotFound(err error) bool {
	var p *gitops.Problem
	return errors.As(err, &p) && p.Kind == gitops.NotFound
}

// TestPullRequestsAreNoAbbreviatedCommits has an Application that is pinned to an abbreviated commit of main's history,
// and a stranger, who may push nothing, whose pull request was made to begin alike: hosts list its head, too.
func TestPullRequestsAreNoAbbreviatedCommits(t *testing.T) {
	for _, ref := range []string{"refs/pull/1/head", "refs/merge-requests/1/head", "refs/changes/01/1/1"} {
		t.Run(ref, func(t *testing.T) {
			u := newUpstream(t)
			u.write("a.yaml", "ours")
			base := u.commit("base")
			ours := u.git("rev-parse", "HEAD^{tree}")
			u.write("a.yaml", "theirs")
			u.commit("theirs")
			theirs := u.git("rev-parse", "HEAD^{tree}")
			u.git("reset", "--quiet", "--hard", base)
			one, other := commitsAlike(ours, theirs)
			pinned, forged := u.commitText(one), u.commitText(other)
			short := pinned[:7]
			if forged[:7] != short || forged == pinned {
				t.Fatalf("%s and %s are not alike", pinned, forged)
			}
			u.git("reset", "--quiet", "--hard", pinned)
			u.write("b.yaml", "newer")
			u.commit("main goes on")
			u.git("update-ref", ref, forged)

			r := newRemote(t, u.dir, access.Credential{})
			v := look(t, r)
			if got := snapshot(t, v, ref); got.Revision != forged {
				t.Fatalf("by its whole name it is %s", got.Revision)
			}
			if got := snapshot(t, v, short); got.Revision != pinned {
				t.Errorf("%s is %s of %s, which no branch or tag leads to", short, got.Revision, ref)
			}
			if named, err := v.Named(t.Context(), short); named || err != nil {
				t.Errorf("it counts as the tip of a branch: %v, %v", named, err)
			}
			if got := snapshot(t, look(t, newRemote(t, u.dir, access.Credential{})), short); got.Revision != pinned {
				t.Errorf("an engine that starts anew takes %s", got.Revision)
			}
		})
	}
}

// commitsAlike are texts of commits of two trees whose names begin with the same seven digits.
func commitsAlike(one, other string) (a, b string) {
	seen := map[string]string{}
	for n := 0; ; n++ {
		a = fmt.Sprintf("tree %s\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n%d\n", one, n)
		seen[beginning(a)] = a
		b = fmt.Sprintf("tree %s\nauthor B <b@b> 1 +0000\ncommitter B <b@b> 1 +0000\n\n%d\n", other, n)
		if known, ok := seen[beginning(b)]; ok {
			return known, b
		}
	}
}

func beginning(commit string) string {
	sum := sha1.Sum(fmt.Appendf(nil, "commit %d\x00%s", len(commit), commit))
	return hex.EncodeToString(sum[:])[:7]
}

// commitText makes a commit of a text.
func (u *upstream) commitText(text string) string {
	u.t.Helper()
	file := filepath.Join(u.t.TempDir(), "commit")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		u.t.Fatal(err)
	}
	return u.git("hash-object", "-t", "commit", "-w", file)
}
