package install

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/install"
)

const fleetURL = "https://git.example.com/team/fleet"

// bootstrapOf is a bootstrap of the fleet, with what it prints.
func bootstrapOf(b *bootstrapFlags) *bytes.Buffer {
	var out bytes.Buffer
	b.Global = &command.Global{Streams: command.Streams{Out: &out, Err: &out}}
	b.repository.url = fleetURL
	return &out
}

// workTree is a checkout with an author and nothing in it.
func workTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	clitest.Git(t, dir, "init", "-q", "-b", "main")
	clitest.Git(t, dir, "config", "user.name", "t")
	clitest.Git(t, dir, "config", "user.email", "t@example.com")
	return dir
}

// TestWhoseRepositoryIsTheWorkTree: what is written there is read from there then. Of a checkout, that is what is committed.
func TestWhoseRepositoryIsTheWorkTree(t *testing.T) {
	top := t.TempDir()
	folder, other, checkout := filepath.Join(top, "team", "fleet"), filepath.Join(top, "other"), workTree(t)
	clitest.Write(t, top, map[string]string{"team/fleet/README.md": "", "other/README.md": ""})
	link := filepath.Join(top, "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		reason   string
		mirrors  []string
		scaffold string
		commit   bool
		want     bool
	}{
		"None":        {"it is read from its server", nil, folder, false, false},
		"Folder":      {"it is read from the folder", []string{fleetURL + "=" + folder}, folder, false, true},
		"OtherName":   {"it is the same folder, whatever it is called", []string{fleetURL + ".git=" + folder}, link, false, true},
		"Above":       {"it is read from below the mirror", []string{"https://git.example.com=" + top}, folder, false, true},
		"OtherURL":    {"the mirror stands for something else", []string{"https://git.example.com/team/shop=" + folder}, folder, false, false},
		"OtherFolder": {"it is read from somewhere else", []string{fleetURL + "=" + other}, folder, false, false},
		"Nearest":     {"the mirror that is nearest is read", []string{"https://git.example.com=" + top, fleetURL + "=" + other}, folder, false, false},
		"Missing":     {"there is nothing below the mirror", []string{"https://git.example.com=" + other}, folder, false, false},
		"NoLayout":    {"nothing is written", []string{fleetURL + "=" + folder}, "", false, false},
		"NoWorkTree":  {"nothing can be written", []string{fleetURL + "=" + folder}, filepath.Join(top, "nope"), false, false},
		"Uncommitted": {"it is read as it is committed", []string{fleetURL + "=" + checkout}, checkout, false, false},
		"Committed":   {"it will be committed", []string{fleetURL + "=" + checkout}, checkout, true, true},
		"WorkTree":    {"it is read as it is written", []string{fleetURL + "=" + checkout + "?worktree"}, checkout, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := &bootstrapFlags{scaffold: c.scaffold, commit: c.commit}
			bootstrapOf(b)
			mirrors, err := command.SteadyMirrors(c.mirrors)
			if err != nil {
				t.Fatal(err)
			}
			if got := b.mirrored(mirrors); got != c.want {
				t.Errorf("%s: got %t", c.reason, got)
			}
		})
	}
}

// TestWhatComesIsLookedForLater: files that are not pushed do not come, and those of a push come to its branch.
func TestWhatComesIsLookedForLater(t *testing.T) {
	l := layout{files: []bootstrap.File{{Path: "./a/b.yaml"}, {Path: "c.yaml", State: bootstrap.Other}}, pushed: bootstrap.Pushed{Branch: "main"}}
	for name, c := range map[string]struct {
		reason string
		push   bool
		want   install.Coming
	}{
		"Pushed": {"those that are there already are pushed with the branch", true, install.Coming{Files: []string{"a/b.yaml", "c.yaml"}, Branch: "main"}},
		"Left":   {"whoever writes them pushes them", false, install.Coming{}},
	} {
		t.Run(name, func(t *testing.T) {
			b := &bootstrapFlags{push: c.push}
			bootstrapOf(b)
			if diff := cmp.Diff(c.want, b.coming(l, nil)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

// TestALayoutIsPublishedAsFarAsAsked: each step says what is left to do, and one that was done is not done again.
func TestALayoutIsPublishedAsFarAsAsked(t *testing.T) {
	work, remote := workTree(t), t.TempDir()
	clitest.Git(t, remote, "init", "-q", "--bare", "-b", "main")
	clitest.Git(t, work, "remote", "add", "origin", remote)
	steps := []struct {
		reason string
		args   string
		code   int
		want   []string
		not    string
	}{
		{"nothing is committed by a look", "--commit --dry-run", command.ExitChanges, []string{"would write ", "would commit the layout\n"}, "would push"},
		{"somebody has to push it", "--commit", command.ExitFine, []string{"committed the layout; push it, so that the engine can read it: --push does\n"}, "commit and push"},
		{"it is committed", "--commit", command.ExitFine, []string{"the layout is there: "}, "committed"},
		{"it is committed, and a push is no change of the work tree", "--commit --push --dry-run", command.ExitFine, []string{"would push the branch main to origin\n"}, "would commit"},
		{"what an earlier run committed is pushed", "--commit --push", command.ExitFine, []string{"pushed the branch main to origin\n"}, "committed"},
		{"another folder is another layout", "--commit --push --path eu", command.ExitFine, []string{"wrote eu/", "committed the layout\n", "pushed the branch main to origin\n"}, "; push it"},
	}
	for _, s := range steps {
		got := clitest.Run(t, NewBootstrap, append(strings.Fields(s.args), "--scaffold", work)...)
		got.Says(t, s.reason, s.code, s.want...)
		if strings.Contains(got.Out, s.not) {
			t.Errorf("%s: %q is in\n%s", s.reason, s.not, got.Out)
		}
	}
	clitest.Git(t, remote, "rev-parse", "--verify", "-q", "main:eu/control-plane")
}

// TestLayoutsThatCannotBe are refused before a file of them is written.
func TestLayoutsThatCannotBe(t *testing.T) {
	plain, lonely := t.TempDir(), workTree(t)
	for name, c := range map[string]struct {
		reason, args, dir string
		wrong             []string
	}{
		"NoFolder": {"there is no work tree", "", filepath.Join(plain, "nope"), []string{"cannot use the work tree ", "make the folder with git init"}},
		"NoGit":    {"there is nothing to commit to", "--commit", plain, []string{"cannot commit the layout in ", "leave --commit out"}},
		"NoRemote": {"there is nowhere to push to", "--commit --push", lonely, []string{"the work tree has no remote", "leave --push out"}},
	} {
		t.Run(name, func(t *testing.T) {
			clitest.Run(t, NewBootstrap, append(strings.Fields(c.args), "--scaffold", c.dir)...).Says(t, c.reason, command.ExitFailed, c.wrong...)
			for _, dir := range []string{plain, lonely} {
				left, err := os.ReadDir(dir)
				if err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return e.Name() != ".git" }) {
					t.Errorf("%s: left in %s is %v, %v", c.reason, dir, left, err)
				}
			}
		})
	}
}
