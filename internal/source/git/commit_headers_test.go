package git

import (
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// TestRepeatedHeadersOfCommits: whoever reviews a commit sees what Git makes of it,
// which is what its first lines say. Git takes lines of any name after them.
func TestRepeatedHeadersOfCommits(t *testing.T) {
	u := newUpstream(t)
	u.write("app.yaml", "reviewed")
	u.write("docs/app.yaml", "hidden")
	u.commit("first")
	seen, hidden := u.git("rev-parse", "HEAD^{tree}"), u.git("rev-parse", "HEAD:docs")
	text := fmt.Sprintf("tree %s\nauthor Ann <a@b> 1 +0000\ncommitter Ann <a@b> 1 +0000\ntree %s\nauthor Eve <e@b> 2 +0000\n\nUpdate\n", seen, hidden)
	u.git("update-ref", "refs/heads/main", u.commitText(text))
	u.git("fsck", "--strict") // nobody is warned
	s := snapshot(t, look(t, newRemote(t, u.dir, access.Credential{})), "main")
	if got, err := s.Tree.ReadFile("app.yaml"); err != nil || string(got) != "reviewed" {
		t.Errorf("what is deployed is not what Git shows: %q, %v", got, err)
	}
	if got := s.Commit.Author; got != "Ann <a@b>" {
		t.Errorf("the author is %s", got)
	}
	if got := parseSigned(s.Revision, []byte(text)).Author; got != "Ann <a@b>" {
		t.Errorf("the author of what is signed is %s", got)
	}
}

// TestCommitsWithoutATree are refused, with a word to whoever pushed them.
func TestCommitsWithoutATree(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":                  "",
		"no tree":                  "author A <a@b> 1 +0000\n\ntree " + anyHash + "\n",
		"no name of one":           "tree main\nauthor A <a@b> 1 +0000\n\nx\n",
		"a line that goes on":      "author A <a@b> 1 +0000\nmergetag object x\n tree " + anyHash + "\n\nx\n",
		"a tree named in its text": "\n\ntree " + anyHash + "\n",
	} {
		if tree, _, err := parseCommit(text); err == nil {
			t.Errorf("%s: its tree is %q", name, tree)
		}
	}
	u := newUpstream(t)
	u.write("a", "1")
	u.commit("first")
	s := newStore(t)
	s.dir, s.objects.dir = u.dir+"/.git", u.dir+"/.git"
	for reason, revision := range map[string]string{"a folder is no commit": "HEAD^{tree}", "nor is a file": "HEAD:a"} {
		_, err := s.Snapshot(u.git("rev-parse", revision), gitops.Origin{})
		if !gitops.IsProblem(err, gitops.NotFound) || !strings.Contains(err.Error(), "not a commit") {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

// TestSubjectsOfCommits: a list shows one line of what was written.
func TestSubjectsOfCommits(t *testing.T) {
	head := "tree " + anyHash + "\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n"
	for name, tc := range map[string]struct{ reason, body, want string }{
		"Line":  {"the first line", "\nRaise memory\n\nWhy: it fell\n", "Raise memory"},
		"Blank": {"after lines without text", "\n\n\nRaise memory\nmore\n", "Raise memory"},
		"None":  {"a commit may have no text", "", ""},
		"Empty": {"or an empty one", "\n\n\n", ""},
		"Head":  {"a text is no header", "\ntree " + strings.Repeat("c", 40) + "\n", "tree " + strings.Repeat("c", 40)},
	} {
		t.Run(name, func(t *testing.T) {
			tree, c, err := parseCommit(head + tc.body)
			if err != nil || c.Message != tc.want || tree != anyHash {
				t.Errorf("%s: got %q of %s, %v", tc.reason, c.Message, tree, err)
			}
		})
	}
}
