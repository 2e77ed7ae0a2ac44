package git

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// fed runs git with an input.
func (u *upstream) fed(input string, args ...string) string {
	u.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", u.dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.org"}, args...)...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		u.t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// tenTimes is a folder that has an entry ten times.
func (u *upstream) tenTimes(mode, kind, hash string) string {
	u.t.Helper()
	var b strings.Builder
	for i := range 10 {
		fmt.Fprintf(&b, "%s %s %s\td%d\n", mode, kind, hash, i)
	}
	return u.fed(b.String(), "mktree")
}

// inOneAnother is a tree of folders that hold links at more paths than can be
// counted.
func (u *upstream) inOneAnother() string {
	u.t.Helper()
	at := u.tenTimes("120000", "blob", u.fed("d0", "hash-object", "-w", "--stdin"))
	for range 9 {
		at = u.tenTimes("040000", "tree", at)
	}
	return at
}

// toOneAnother is a tree of two folders with many links to the other one.
func (u *upstream) toOneAnother() string {
	u.t.Helper()
	full := func(target string) string {
		link := u.fed(target, "hash-object", "-w", "--stdin")
		var b strings.Builder
		for i := range 300 {
			fmt.Fprintf(&b, "120000 blob %s\tl%d\n", link, i)
		}
		return u.fed(b.String(), "mktree")
	}
	return u.fed(fmt.Sprintf("040000 tree %s\ta\n040000 tree %s\tb\n", full("../b"), full("../a")), "mktree")
}

func TestLinksWithoutEnd(t *testing.T) {
	cases := map[string]struct {
		reason, want string
		tree         func(*upstream) string
	}{
		"in one another": {"a link at ten thousand million paths", "their paths take more than", (*upstream).inOneAnother},
		"to one another": {"three hundred links to three hundred links, four times over", "are followed", (*upstream).toOneAnother},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			u := newUpstream(t)
			u.git("update-ref", "refs/heads/main", u.fed("", "commit-tree", "-m", "x", tc.tree(u)))
			tree := snapshot(t, look(t, newRemote(t, u.dir, access.Credential{})), "main").Tree
			_, err := tree.Digest(".")
			var p *gitops.Problem
			if err == nil || !strings.Contains(err.Error(), tc.want) || !errors.As(err, &p) || p.Fix == "" || p.Where.Revision == "" {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}
