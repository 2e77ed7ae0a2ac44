package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func openLocal(t *testing.T, dir string) *Local {
	t.Helper()
	l, err := OpenLocal(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// history makes a repository: two commits on main, then one on topic and
// one more on main; it is a clone's origin.
func history(t *testing.T) (dir string, commits map[string]string) {
	t.Helper()
	dir = newRepository(t)
	commits = map[string]string{"first": runGit(t, dir, "rev-parse", "HEAD")}
	write(t, dir, "a.yaml", "2")
	commits["base"] = commit(t, dir)
	runGit(t, dir, "tag", "-a", "v1.0.0", "-m", "one")
	runGit(t, dir, "checkout", "--quiet", "-b", "feature/topic")
	write(t, dir, "b.yaml", "topic")
	commits["topic"] = commit(t, dir)
	runGit(t, dir, "checkout", "--quiet", "main")
	write(t, dir, "a.yaml", "3")
	commits["main"] = commit(t, dir)
	return dir, commits
}

func clone(t *testing.T, origin string, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "clone")
	runGit(t, filepath.Dir(dir), append(append([]string{"clone", "--quiet"}, args...), "file://"+origin, dir)...)
	return dir
}

func TestLocalRevisions(t *testing.T) {
	origin, commits := history(t)
	dir := clone(t, origin)
	runGit(t, dir, "checkout", "--quiet", "-b", "mine", "origin/feature/topic")
	cases := map[string]struct {
		reason, revision, want string
	}{
		"Head":      {"what is checked out", "HEAD", "topic"},
		"Empty":     {"nothing means HEAD", "", "topic"},
		"Remote":    {"a branch of a remote", "origin/main", "main"},
		"Branch":    {"a local branch", "mine", "topic"},
		"Slash":     {"a branch with a slash", "origin/feature/topic", "topic"},
		"Tag":       {"an annotated tag is its commit", "v1.0.0", "base"},
		"Parent":    {"a commit before", "HEAD~2", "first"},
		"Full":      {"a full commit", commits["first"], "first"},
		"Short":     {"a short commit", commits["base"][:8], "base"},
		"MergeBase": {"where two parted", "origin/main...HEAD", "base"},
		"Default":   {"where HEAD parted", "origin/main...", "base"},
	}
	for _, place := range []string{dir, linkedTree(t, dir), filepath.Join(dir, "sub")} {
		if err := os.MkdirAll(place, 0o755); err != nil {
			t.Fatal(err)
		}
		l := openLocal(t, place)
		for name, tc := range cases {
			t.Run(name, func(t *testing.T) {
				s, err := l.Snapshot(t.Context(), tc.revision)
				if err != nil {
					t.Fatalf("%s: %v", tc.reason, err)
				}
				if s.Revision != commits[tc.want] || s.Commit == nil {
					t.Errorf("%s: got %s, want %s", tc.reason, s.Revision, commits[tc.want])
				}
				if want := map[string]string{"first": "1", "base": "2", "topic": "2", "main": "3"}[tc.want]; content(t, s, "a.yaml") != want {
					t.Errorf("%s: a.yaml has %q, want %q", tc.reason, content(t, s, "a.yaml"), want)
				}
			})
		}
	}
}

// linkedTree adds a second work tree to a repository.
func linkedTree(t *testing.T, dir string) string {
	t.Helper()
	second := filepath.Join(t.TempDir(), "second")
	runGit(t, dir, "worktree", "add", "--quiet", "--detach", second, "HEAD")
	return second
}

func TestLocalWorktree(t *testing.T) {
	origin, _ := history(t)
	l := openLocal(t, origin)
	head, err := l.Snapshot(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if clean, err := l.Worktree(t.Context()); err != nil || clean.Revision != head.Revision {
		t.Errorf("without edits it is HEAD: %v, %v", clean, err)
	}
	write(t, origin, ".gitignore", "ignored\n")
	write(t, origin, "ignored", "x")
	write(t, origin, "new/c.yaml", "new")
	write(t, origin, "a.yaml", "edited")
	write(t, origin, "staged.yaml", "staged")
	runGit(t, origin, "add", "staged.yaml")
	status := runGit(t, origin, "status", "--porcelain")
	s, err := l.Worktree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.yaml": "edited", "new/c.yaml": "new", "staged.yaml": "staged"} {
		if got := content(t, s, name); got != want {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
	if _, err := s.Tree.Stat("ignored"); err == nil {
		t.Error("what .gitignore names does not count")
	}
	if content(t, head, "a.yaml") != "3" {
		t.Error("HEAD does not move with the edits")
	}
	if again, err := l.Worktree(t.Context()); err != nil || again.Revision != s.Revision {
		t.Errorf("the same edits are the same revision: %v, %v", again, err)
	}
	if now := runGit(t, origin, "status", "--porcelain"); now != status {
		t.Errorf("the user's index changed: %s, before %s", now, status)
	}
	out := runGit(t, origin, "count-objects", "-v")
	write(t, origin, "a.yaml", "once more")
	if _, err := l.Worktree(t.Context()); err != nil {
		t.Error(err)
	}
	if now := runGit(t, origin, "count-objects", "-v"); now != out {
		t.Errorf("objects were written into the user's repository: %s, before %s", now, out)
	}
}

func TestLocalNames(t *testing.T) {
	origin, _ := history(t)
	dir := clone(t, origin)
	runGit(t, dir, "remote", "add", "fork", "git@example.org:me/fork.git")
	detached := clone(t, origin)
	runGit(t, detached, "checkout", "--quiet", "--detach", "origin/feature/topic")
	l, d := openLocal(t, dir), openLocal(t, detached)
	remotes, err := l.Remotes(t.Context())
	if diff := cmp.Diff(map[string]string{"origin": "file://" + origin, "fork": "git@example.org:me/fork.git"}, remotes); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	for _, tc := range []struct {
		reason, want string
		local        *Local
		revision     string
	}{
		{"the branch that is checked out", "main", l, "HEAD"},
		{"a remote's branch", "feature/topic", l, "origin/feature/topic"},
		{"a detached HEAD at a branch's tip", "feature/topic", d, "HEAD"},
		{"a commit that is no tip", "", l, "HEAD~1"},
		{"a tag is no branch", "", l, "v1.0.0"},
	} {
		if got, err := tc.local.BranchOf(t.Context(), tc.revision); got != tc.want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", tc.reason, got, err, tc.want)
		}
	}
	if got, err := d.DefaultBranch(t.Context()); got != "main" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestLocalFailures(t *testing.T) {
	origin, _ := history(t)
	shallow := clone(t, origin, "--depth=1")
	empty := filepath.Join(t.TempDir(), "empty")
	runGit(t, filepath.Dir(empty), "init", "--quiet", empty)
	cases := map[string]struct {
		reason, dir, revision, want string
	}{
		"Unknown":        {"a name that is nothing", origin, "mian", "main"},
		"Unfetched":      {"a remote's branch that was not fetched", clone(t, origin, "--single-branch"), "origin/feature/topic", "git fetch origin feature/topic"},
		"Shallow":        {"a cut history", shallow, "HEAD~1", "fetch-depth: 0"},
		"ShallowBase":    {"a merge base beyond the cut", shallow, "origin/main...v1.0.0", "fetch-depth: 0"},
		"Empty":          {"no commit", empty, "HEAD", "first commit"},
		"Option":         {"an option in place of a name", origin, "--help", "is not in repository"},
		"UnrelatedRange": {"half a range that is not there", origin, "nope...HEAD", "nope"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := openLocal(t, tc.dir).Snapshot(t.Context(), tc.revision)
			if p := problem(t, err); p.Kind != gitops.NotFound || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
	if _, err := OpenLocal(t.TempDir(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "Git checkout") {
		t.Errorf("no repository at all: %v", err)
	}
	bare := openLocal(t, clone(t, origin, "--bare"))
	if _, err := bare.Worktree(t.Context()); err == nil || !strings.Contains(err.Error(), "bare") {
		t.Errorf("a bare repository has no work tree: %v", err)
	}
	if s, err := bare.Snapshot(t.Context(), "main"); err != nil || content(t, s, "a.yaml") != "3" {
		t.Errorf("a bare repository has revisions: %v", err)
	}
}

// TestLocalRunsNothing: a repository's own configuration may name commands.
func TestLocalRunsNothing(t *testing.T) {
	origin, _ := history(t)
	trap := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntouch "+trap+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	runGit(t, origin, "config", "core.fsmonitor", script)
	runGit(t, origin, "config", "core.hooksPath", filepath.Dir(script))
	l := openLocal(t, origin)
	write(t, origin, "a.yaml", "edited")
	if _, err := l.Worktree(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(trap); err == nil {
		t.Error("a command of the repository ran")
	}
}

// TestMirrorOfAClone tells which names a mirror of a checkout serves, as CI
// has one: what Argo CD allows, and the branches of its remote.
func TestMirrorOfAClone(t *testing.T) {
	origin, commits := history(t)
	dir := clone(t, origin)
	for _, path := range []string{dir, clone(t, origin, "--bare")} {
		r := newRegistry(t, Options{Mirrors: []Mirror{{URL: "https://h/repo", Path: path}}, Offline: true})
		for revision, want := range map[string]string{"main": "main", "v1.0.0": "base", "1.x": "base", commits["first"]: "first", commits["base"][:9]: "base", "": "main"} {
			if got := snap(t, r, gitops.SourceRef{RepoURL: "https://h/repo", Revision: revision}); got.Revision != commits[want] {
				t.Errorf("%s %q: got %s, want %s", path, revision, got.Revision, want)
			}
		}
	}
	r := newRegistry(t, Options{Mirrors: []Mirror{{URL: "https://h/repo", Path: dir}}})
	for _, revision := range []string{"origin/feature/topic", "refs/remotes/origin/feature/topic"} {
		if got := snap(t, r, gitops.SourceRef{RepoURL: "https://h/repo", Revision: revision}); got.Revision != commits["topic"] {
			t.Errorf("%q: got %s", revision, got.Revision)
		}
	}
}

// TestLocalSubmodules tells that submodules are left out of revisions and
// of the work tree, checked out or not.
func TestLocalSubmodules(t *testing.T) {
	origin, _ := history(t)
	part := newRepository(t)
	runGit(t, origin, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part, "part")
	commit(t, origin)
	l := openLocal(t, origin)
	write(t, origin, "part/new.yaml", "1")
	write(t, origin, "a.yaml", "edited")
	head, err := l.Snapshot(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	edited, err := l.Worktree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*gitops.Snapshot{head, edited} {
		list, err := s.Tree.ReadDir(".")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if e.Name() == "part" {
				t.Errorf("%s lists the submodule", s.Revision)
			}
		}
	}
	if got := content(t, edited, "a.yaml"); got != "edited" {
		t.Errorf("got %q", got)
	}
}
