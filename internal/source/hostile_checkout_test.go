package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// trap is a program that leaves a mark where it is run.
type trap struct{ script, mark string }

func newTrap(t *testing.T, names ...string) trap {
	t.Helper()
	dir := t.TempDir()
	tr := trap{script: filepath.Join(dir, "script"), mark: filepath.Join(t.TempDir(), "ran")}
	for _, name := range append(names, "script") {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho \"$0\" >> "+tr.mark+"\ncat\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return tr
}

func (tr trap) sprung(t *testing.T) bool {
	t.Helper()
	ran, err := os.ReadFile(tr.mark)
	if err == nil {
		t.Logf("ran: %s", ran)
	}
	return err == nil
}

// lookAt reads all that commands read of a checkout.
func lookAt(t *testing.T, dir string) (*gitops.Snapshot, error) {
	t.Helper()
	l, err := OpenLocal(dir, t.TempDir())
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	_, err = l.Remotes(t.Context())
	_, err2 := l.DefaultBranch(t.Context())
	_, err3 := l.Snapshot(t.Context(), "HEAD~1")
	edited, err4 := l.Worktree(t.Context())
	return edited, errors.Join(err, err2, err3, err4)
}

// TestCheckoutRunsNothing: whatever a checkout of somebody else configures, to
// look at it runs none of it.
func TestCheckoutRunsNothing(t *testing.T) {
	cases := map[string]struct {
		reason string
		set    func(t *testing.T, dir string, tr trap)
	}{
		"Clean": {"a clean filter is run by `git add`", func(t *testing.T, dir string, tr trap) {
			runGit(t, dir, "config", "filter.evil.clean", tr.script)
			write(t, dir, ".gitattributes", "* filter=evil\n")
		}},
		"Process": {"and so is a filter that stays, which is required", func(t *testing.T, dir string, tr trap) {
			runGit(t, dir, "config", "filter.evil.process", tr.script)
			runGit(t, dir, "config", "filter.evil.required", "true")
			write(t, dir, ".gitattributes", "* filter=evil\n")
		}},
		"Include": {"the configuration may be in a file beside", func(t *testing.T, dir string, tr trap) {
			write(t, dir, "more", "[filter \"evil\"]\n\tclean = "+tr.script+"\n")
			runGit(t, dir, "config", "include.path", "../more")
			write(t, dir, ".gitattributes", "* filter=evil\n")
		}},
		"IncludeIf": {"or in one that holds for a folder", func(t *testing.T, dir string, tr trap) {
			write(t, dir, "more", "[filter \"evil\"]\n\tclean = "+tr.script+"\n")
			runGit(t, dir, "config", "includeIf.gitdir:/.path", filepath.Join(dir, "more"))
			write(t, dir, ".gitattributes", "* filter=evil\n")
		}},
		"Worktree": {"or in that of one work tree", func(t *testing.T, dir string, tr trap) {
			runGit(t, dir, "config", "extensions.worktreeConfig", "true")
			runGit(t, dir, "config", "--worktree", "filter.evil.clean", tr.script)
			write(t, dir, ".gitattributes", "* filter=evil\n")
		}},
		"Attributes": {"the attribute may be set where no commit shows it", func(t *testing.T, dir string, tr trap) {
			runGit(t, dir, "config", "filter.evil.clean", tr.script)
			write(t, dir, ".git/info/attributes", "* filter=evil\n")
		}},
		"Monitor": {"a monitor of files is asked by all that reads the index", func(t *testing.T, dir string, tr trap) {
			runGit(t, dir, "config", "core.fsmonitor", tr.script)
		}},
		"Submodule": {"git asks a submodule's own monitor whether that one is edited", func(t *testing.T, dir string, tr trap) {
			part := newRepository(t)
			runGit(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part, "part")
			commit(t, dir)
			runGit(t, filepath.Join(dir, "part"), "config", "core.fsmonitor", tr.script)
			write(t, dir, "part/a.yaml", "edited")
		}},
		"Hooks": {"hooks", func(t *testing.T, dir string, tr trap) {
			runGit(t, dir, "config", "core.hooksPath", filepath.Dir(tr.script))
		}},
		"Diff": {"programs that show differences", func(t *testing.T, dir string, tr trap) {
			runGit(t, dir, "config", "diff.external", tr.script)
			runGit(t, dir, "config", "diff.evil.textconv", tr.script)
			write(t, dir, ".gitattributes", "* diff=evil merge=evil\n")
		}},
		"Promisor": {"what a partial clone lacks is fetched by a command", func(t *testing.T, dir string, tr trap) {
			runGit(t, dir, "config", "core.repositoryformatversion", "1")
			runGit(t, dir, "config", "extensions.partialClone", "origin")
			runGit(t, dir, "config", "protocol.ext.allow", "always")
			runGit(t, dir, "config", "remote.origin.url", "ext::"+tr.script)
			runGit(t, dir, "config", "remote.origin.promisor", "true")
		}},
		"Others": {"the rest of what can name a command", func(t *testing.T, dir string, tr trap) {
			for _, key := range []string{"core.sshCommand", "core.gitProxy", "core.pager", "core.editor", "core.askPass", "core.alternateRefsCommand",
				"credential.helper", "gpg.program", "uploadpack.packObjectsHook", "alias.rev-parse", "alias.add", "merge.evil.driver", "gc.recentObjectsHook", "pager.config"} {
				runGit(t, dir, "config", key, "!"+tr.script)
			}
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir, _ := history(t)
			tr := newTrap(t, "post-index-change", "reference-transaction", "pre-commit", "post-checkout")
			tc.set(t, dir, tr)
			write(t, dir, "a.yaml", "edited")
			write(t, dir, "new.yaml", "new")
			edited, err := lookAt(t, dir)
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if tr.sprung(t) {
				t.Errorf("%s: a command of the checkout ran", tc.reason)
			}
			if got := content(t, edited, "a.yaml") + content(t, edited, "new.yaml"); got != "editednew" {
				t.Errorf("%s: the edits read %q", tc.reason, got)
			}
		})
	}
}

// victim is another repository of the same user, with one secret in it.
func victim(t *testing.T) (dir, commitID string) {
	t.Helper()
	dir = newRepository(t)
	write(t, dir, "secret.yaml", "hunter2")
	return dir, commit(t, dir)
}

// TestCheckoutReachesNothing: what a checkout of somebody else leads to is not
// read, neither other repositories nor other files.
func TestCheckoutReachesNothing(t *testing.T) {
	move := func(t *testing.T, from, to string) {
		t.Helper()
		if err := errors.Join(os.RemoveAll(from), os.Symlink(to, from)); err != nil {
			t.Fatal(err)
		}
	}
	cases := map[string]struct {
		reason string
		set    func(t *testing.T, dir, victim, commit string)
	}{
		"File": {"a .git file may lead anywhere", func(t *testing.T, dir, victim, _ string) {
			if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
				t.Fatal(err)
			}
			write(t, dir, ".git", "gitdir: "+filepath.Join(victim, ".git")+"\n")
		}},
		"Linked": {"or to a linked work tree that it made up", func(t *testing.T, dir, victim, _ string) {
			if err := os.Rename(filepath.Join(dir, ".git"), filepath.Join(dir, "own")); err != nil {
				t.Fatal(err)
			}
			write(t, dir, "own/worktrees/x/HEAD", "ref: refs/heads/main\n")
			write(t, dir, "own/worktrees/x/commondir", filepath.Join(victim, ".git")+"\n")
			write(t, dir, "own/worktrees/x/gitdir", filepath.Join(dir, ".git")+"\n")
			write(t, dir, ".git", "gitdir: own/worktrees/x\n")
		}},
		"Link": {"so may a link", func(t *testing.T, dir, victim, _ string) {
			move(t, filepath.Join(dir, ".git"), filepath.Join(victim, ".git"))
		}},
		"Common": {"the file commondir names another repository", func(t *testing.T, dir, victim, _ string) {
			write(t, dir, ".git/commondir", filepath.Join(victim, ".git")+"\n")
		}},
		"Alternates": {"alternates name its objects", func(t *testing.T, dir, victim, commit string) {
			write(t, dir, ".git/objects/info/alternates", filepath.Join(victim, ".git/objects")+"\n")
			write(t, dir, ".git/refs/heads/main", commit+"\n")
		}},
		"Objects": {"a link stands for all objects", func(t *testing.T, dir, victim, commit string) {
			move(t, filepath.Join(dir, ".git/objects"), filepath.Join(victim, ".git/objects"))
			write(t, dir, ".git/refs/heads/main", commit+"\n")
		}},
		"Pack": {"or for a pack of them", func(t *testing.T, dir, victim, commit string) {
			runGit(t, victim, "gc", "--quiet")
			packs, err := filepath.Glob(filepath.Join(victim, ".git/objects/pack/*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range packs {
				move(t, filepath.Join(dir, ".git/objects/pack", filepath.Base(p)), p)
			}
			write(t, dir, ".git/refs/heads/main", commit+"\n")
		}},
		"WorkTree": {"the work tree may be said to be elsewhere", func(t *testing.T, dir, victim, _ string) {
			runGit(t, dir, "config", "core.worktree", victim)
		}},
		"LinkedFile": {"a file of the work tree may be a link", func(t *testing.T, dir, victim, _ string) {
			move(t, filepath.Join(dir, "secret.yaml"), filepath.Join(victim, "secret.yaml"))
		}},
		"LinkedFolder": {"and so may a folder", func(t *testing.T, dir, victim, _ string) {
			write(t, dir, "sub/secret.yaml", "mine")
			commit(t, dir)
			move(t, filepath.Join(dir, "sub"), victim)
			move(t, filepath.Join(dir, "secret.yaml"), "sub/secret.yaml")
		}},
		"Reference": {"a reference may be a link to any file", func(t *testing.T, dir, victim, _ string) {
			move(t, filepath.Join(dir, ".git/refs/heads/main"), filepath.Join(victim, "secret.yaml"))
		}},
		"Head": {"and so may HEAD", func(t *testing.T, dir, victim, _ string) {
			move(t, filepath.Join(dir, ".git/HEAD"), filepath.Join(victim, ".git/HEAD"))
		}},
		"Index": {"and so may the index", func(t *testing.T, dir, victim, _ string) {
			move(t, filepath.Join(dir, ".git/index"), filepath.Join(victim, ".git/index"))
		}},
	}
	for name, tc := range cases {
		for _, how := range []string{"looked at", "mirrored"} {
			t.Run(name+" "+how, func(t *testing.T) {
				dir, _ := history(t)
				other, id := victim(t)
				tc.set(t, dir, other, id)
				seen, err := seenOf(t, dir, how)
				if strings.Contains(fmt.Sprint(err), "hunter2") {
					t.Errorf("%s: the error tells it: %v", tc.reason, err)
				}
				if strings.Contains(seen, "hunter2") {
					t.Errorf("%s: the file of another repository was read", tc.reason)
				}
			})
		}
	}
}

// seenOf is the content of all files that a checkout shows.
func seenOf(t *testing.T, dir, how string) (string, error) {
	t.Helper()
	var snaps []*gitops.Snapshot
	var errs []error
	add := func(s *gitops.Snapshot, err error) {
		errs = append(errs, err)
		if s != nil {
			snaps = append(snaps, s)
		}
	}
	if how == "mirrored" {
		r := newRegistry(t, Options{Mirrors: []Mirror{{URL: "https://h/repo", Path: dir}}, Offline: true})
		add(r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: "https://h/repo", Revision: "main"}))
	} else {
		l, err := OpenLocal(dir, t.TempDir())
		if err != nil {
			return "", err
		}
		t.Cleanup(func() { _ = l.Close() })
		add(l.Snapshot(t.Context(), "main"))
		add(l.Worktree(t.Context()))
	}
	var all strings.Builder
	for _, s := range snaps {
		err := fs.WalkDir(s.Tree, ".", func(name string, _ fs.DirEntry, _ error) error {
			text, err := s.Tree.ReadFile(name)
			all.Write(text)
			if err != nil {
				errs = append(errs, err)
			}
			return nil
		})
		errs = append(errs, err)
	}
	return all.String(), errors.Join(errs...)
}

// TestCacheInACheckout: CI systems keep caches inside of the checkout, whose
// configuration must not count for what is fetched into them.
func TestCacheInACheckout(t *testing.T) {
	dir, _ := history(t)
	tr := newTrap(t, "reference-transaction")
	runGit(t, dir, "config", "protocol.ext.allow", "always")
	runGit(t, dir, "config", "url.ext::"+tr.script+" .insteadOf", "http://127.0.0.1:1/")
	runGit(t, dir, "config", "credential.helper", tr.script)
	cache := filepath.Join(dir, ".cache")
	upstream, _ := history(t)
	for range 2 { // the second time with a store that somebody has configured
		r, err := New(Options{CacheDir: cache, Mirrors: []Mirror{{URL: "https://h/repo", Path: upstream}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: "http://127.0.0.1:1/repo"}); err == nil {
			t.Error("nobody listens there")
		}
		snap(t, r, gitops.SourceRef{RepoURL: "https://h/repo", Revision: "main"})
		write(t, upstream, "a.yaml", "more")
		commit(t, upstream)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		stores, err := filepath.Glob(filepath.Join(cache, "sources-*", "git", "*"))
		if err != nil || len(stores) == 0 {
			t.Fatalf("no stores: %v", err)
		}
		for _, s := range stores {
			if info, err := os.Stat(s); err == nil && info.IsDir() {
				runGit(t, s, "config", "core.hooksPath", filepath.Dir(tr.script))
			}
		}
	}
	if tr.sprung(t) {
		t.Error("a command of the checkout ran")
	}
}
