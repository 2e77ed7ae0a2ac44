package git

import (
	"errors"
	"fmt"
	"io/fs"
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

// TestDigestsOfLongLinksEnd has links that lead to one another through as many
// parts as a link may have: what they take together is bounded, and is not spent
// again for the next one who asks.
func TestDigestsOfLongLinksEnd(t *testing.T) {
	u := newUpstream(t)
	u.write("a/x", "x")
	u.link("near", "a")
	const last = 30
	for i := range last {
		u.link(fmt.Sprintf("c%d", i), strings.Repeat("a/../", 800)+fmt.Sprintf("c%d", i+1))
	}
	u.link(fmt.Sprintf("c%d", last), "a")
	to := u.fed("../c0", "hash-object", "-w", "--stdin")
	var list strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&list, "120000 blob %s\tl%d\n", to, i)
	}
	links := u.fed(list.String(), "mktree")
	u.git("add", "-A")
	u.git("read-tree", "--prefix=f/", links)
	u.git("commit", "--quiet", "-m", "links")

	tree := snapshot(t, look(t, newRemote(t, u.dir, access.Credential{})), "main").Tree.(*Tree)
	_, err := tree.Digest(".")
	var p *gitops.Problem
	if !errors.As(err, &p) || !strings.Contains(p.What, "too many folders") || p.Fix == "" || p.Where.Revision == "" {
		t.Fatalf("got %v", err)
	}
	if v, ok := tree.store.memory.Get(tree.store.key("digest", tree.root+" .")); !ok || v.(digested).refusal == nil {
		t.Error("it is found out again for each who asks")
	}
	if _, again := tree.Digest("."); again == nil || again.Error() != err.Error() {
		t.Errorf("once more: got %v, want %v", again, err)
	}
}

// TestDigestsAreRemembered asks for one digest again, and for that of content
// which another link leads to.
func TestDigestsAreRemembered(t *testing.T) {
	u := newUpstream(t)
	u.write("a/x", "1")
	u.write("b/y", "y")
	u.link("b/l", "../a")
	u.commit("first")
	r := newRemote(t, u.dir, access.Credential{})
	tree := snapshot(t, look(t, r), "main").Tree.(*Tree)
	first, err := tree.Digest("b")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := r.store.memory.Get(r.store.key("digest", tree.root+" b")); !ok {
		t.Error("it is not remembered")
	}
	if again, err := tree.Digest("b"); again != first || err != nil {
		t.Errorf("once more: got %s, %v, want %s", again, err, first)
	}
	u.write("a/x", "2")
	u.commit("second")
	if other, err := snapshot(t, look(t, r), "main").Tree.Digest("b"); other == first || err != nil {
		t.Errorf("of other content: got %s, %v", other, err)
	}
}

// TestLongLinksAreNotRead has a link of more than any path: it is not read to
// find that out, for each link that leads to it.
func TestLongLinksAreNotRead(t *testing.T) {
	u := newUpstream(t)
	long := u.fed(strings.Repeat("x/", maxLink), "hash-object", "-w", "--stdin")
	tree := u.fed(fmt.Sprintf("120000 blob %s\tl\n", long), "mktree")
	u.git("update-ref", "refs/heads/main", u.fed("", "commit-tree", "-m", "x", tree))
	r := newRemote(t, u.dir, access.Credential{})
	got := snapshot(t, look(t, r), "main").Tree
	if _, err := got.ReadFile("l"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
	if _, ok := r.store.memory.Get(r.store.key("blob", long)); ok {
		t.Error("it was read")
	}
}
