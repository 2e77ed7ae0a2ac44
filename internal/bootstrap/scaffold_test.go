package bootstrap

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func workTree(t *testing.T) string {
	t.Helper()
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "a")
		t.Setenv("GIT_"+who+"_EMAIL", "a@example.com")
	}
	dir := t.TempDir()
	git(t, dir, "init", "--quiet")
	return dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestScaffoldNeverWritesOver(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "README.md", "mine\n")
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.Symlink(outside, filepath.Join(dir, "workloads")); err != nil {
		t.Fatal(err)
	}
	if _, err := (Scaffold{Dir: dir}).Write(); err == nil {
		t.Error("a link that leads out of the work tree was followed")
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("something was written outside of the work tree")
	}
	if err := os.Remove(filepath.Join(dir, "workloads")); err != nil {
		t.Fatal(err)
	}
	all, err := Scaffold{Dir: dir}.Write()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Scaffold{Dir: dir}.Write()
	if err != nil {
		t.Fatal(err)
	}
	states := map[FileState]int{}
	for _, f := range again {
		states[f.State]++
	}
	if diff := cmp.Diff(map[FileState]int{Same: len(all) - 1, Other: 1}, states); diff != "" {
		t.Errorf("the second time: %s", diff)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "README.md")); err != nil || string(text) != "mine\n" {
		t.Errorf("the user's file is %q, %v", text, err)
	}
}

func TestCommitTakesTheLayoutAlone(t *testing.T) {
	dir := workTree(t)
	put(t, dir, "notes.md", "staged\n")
	git(t, dir, "add", "notes.md")
	put(t, dir, "README.md", "mine\n")
	git(t, dir, "config", "status.showUntrackedFiles", "no")
	s := Scaffold{Dir: dir, Path: "fleets/eu/"}
	foretold(t, s, true)
	if _, err := s.Write(); err != nil {
		t.Fatal(err)
	}
	foretold(t, s, true)
	if done, err := s.Commit(t.Context()); err != nil || !done {
		t.Fatalf("committed: %v, error %v", done, err)
	}
	foretold(t, s, false)
	git(t, dir, "config", "status.showUntrackedFiles", "normal")
	if got := git(t, dir, "status", "--porcelain"); got != "A  notes.md\n?? README.md" {
		t.Errorf("the commit took or left other files:\n%s", got)
	}
	if got := git(t, dir, "show", "--name-only", "--format=", "HEAD"); !strings.Contains(got, "fleets/eu/control-plane/addons/metrics-server.yaml") {
		t.Errorf("the commit has %s", got)
	}
	if done, err := s.Commit(t.Context()); err != nil || done {
		t.Errorf("committed twice: %v, error %v", done, err)
	}
}

// The folder of a layout may be called like a pattern: the files that it would match are others'.
func TestCommitOfAFolderThatLooksLikeAPattern(t *testing.T) {
	dir := workTree(t)
	other, layout := Scaffold{Dir: dir, Path: "e"}, Scaffold{Dir: dir, Path: "[eu]"}
	for _, s := range []Scaffold{other, layout} {
		if _, err := s.Write(); err != nil {
			t.Fatal(err)
		}
	}
	foretold(t, layout, true)
	if done, err := layout.Commit(t.Context()); err != nil || !done {
		t.Fatalf("committed: %v, error %v", done, err)
	}
	for _, name := range strings.Fields(git(t, dir, "show", "--name-only", "--format=", "HEAD")) {
		if !strings.HasPrefix(name, "[eu]/") {
			t.Errorf("the commit took %s", name)
		}
	}
	foretold(t, layout, false)
	foretold(t, other, true)
}

// foretold checks what is said of a commit before it is made.
func foretold(t *testing.T, s Scaffold, want bool) {
	t.Helper()
	if got, err := s.Commits(t.Context()); err != nil || got != want {
		t.Errorf("there would be a commit: %v, want %v, error %v", got, want, err)
	}
}

func TestCommitWithoutARepository(t *testing.T) {
	s := Scaffold{Dir: t.TempDir()}
	if _, err := s.Commits(t.Context()); err == nil || !strings.Contains(err.Error(), "--commit") {
		t.Errorf("nothing is written yet: got error %v", err)
	}
	if _, err := s.Write(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(t.Context()); err == nil || !strings.Contains(err.Error(), "--commit") {
		t.Errorf("got error %v", err)
	}
}

// TestCommitOfNobody: git would refuse, and says so before a file is written; who has nothing to commit need not be anybody.
func TestCommitOfNobody(t *testing.T) {
	done := Scaffold{Dir: workTree(t)}
	if _, err := done.Write(); err != nil {
		t.Fatal(err)
	}
	if _, err := done.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir := workTree(t)
	t.Setenv("GIT_COMMITTER_NAME", "")
	if _, err := (Scaffold{Dir: dir}).Commits(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot commit the layout") {
		t.Errorf("got error %v", err)
	}
	foretold(t, done, false)
}

func TestPush(t *testing.T) {
	hosted := filepath.Join(t.TempDir(), "fleet.git")
	git(t, t.TempDir(), "init", "--quiet", "--bare", hosted)
	for name, c := range map[string]struct {
		reason, remote, address, repository, to, wrong string
	}{
		"Origin":    {reason: "the usual remote", remote: "origin", address: hosted, to: "origin"},
		"Only":      {reason: "the one that there is", remote: "home", address: hosted, to: "home"},
		"Named":     {reason: "the remote with the repository's address", remote: "home", address: hosted + "/", repository: hosted, to: "home"},
		"Other":     {reason: "the repository that is named, whatever the work tree has", remote: "origin", address: "/nope", repository: hosted, to: hosted},
		"None":      {reason: "nobody knows where to", wrong: "git remote add origin URL"},
		"Secretive": {reason: "but for what may be a secret", remote: "origin", address: "https://me:hun/ter2@git.example.com/x", wrong: "unable to access '…@git.example.com/x"},
		"Rejected":  {reason: "what git says is told", remote: "origin", address: "/nope", wrong: "git push: "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := workTree(t)
			branch := strings.ToLower(name)
			git(t, dir, "checkout", "--quiet", "-b", branch)
			if c.remote != "" {
				git(t, dir, "remote", "add", c.remote, c.address)
			}
			s := Scaffold{Dir: dir}
			if _, err := s.Write(); err != nil {
				t.Fatal(err)
			}
			if done, err := s.Commit(t.Context()); err != nil || !done {
				t.Fatalf("committed: %v, error %v", done, err)
			}
			for range 2 { // the second time there is nothing to push
				got, err := s.Push(t.Context(), c.repository)
				if err != nil && strings.Contains(err.Error(), "ter2") {
					t.Errorf("%s: %v", c.reason, err)
				}
				if c.wrong != "" {
					if err == nil || !strings.Contains(err.Error(), c.wrong) || !strings.Contains(err.Error(), "it is committed") {
						t.Fatalf("%s: got error %v, want one with %q", c.reason, err, c.wrong)
					}
					return
				}
				told, wrong := s.Pushes(t.Context(), c.repository)
				if diff := cmp.Diff([]Pushed{{Branch: branch, To: c.to}, got}, []Pushed{got, told}); err != nil || wrong != nil || diff != "" {
					t.Fatalf("%s: errors %v, %v, (-want +got):\n%s", c.reason, err, wrong, diff)
				}
			}
			if want, got := git(t, dir, "rev-parse", "HEAD"), git(t, hosted, "rev-parse", branch); want != got {
				t.Errorf("the repository has %s, want %s", got, want)
			}
		})
	}
}

// Where a push cannot go is told before anything is written, and again by who pushes.
func TestPushesThatCannotBe(t *testing.T) {
	cases := map[string]struct {
		reason  string
		prepare func(dir string)
		wrong   string
	}{
		"Several": {"nobody knows which remote is meant", func(dir string) {
			git(t, dir, "remote", "add", "a", "/a")
			git(t, dir, "remote", "add", "b", "/b")
		}, "the work tree has several remotes, and none is called origin: name the repository with --repo"},
		"Detached": {"a commit that is on no branch", func(dir string) {
			git(t, dir, "commit", "--quiet", "--allow-empty", "--message", "x")
			git(t, dir, "checkout", "--quiet", "--detach")
		}, "no branch is checked out in the work tree"},
		"None": {"no remote", func(string) {}, "the work tree has no remote: name one with git remote add origin URL"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := Scaffold{Dir: workTree(t)}
			tc.prepare(s.Dir)
			_, before := s.Pushes(t.Context(), "")
			_, then := s.Push(t.Context(), "")
			for fix, err := range map[string]error{"mend that, or leave --push out": before, "mend that and run it again, or leave --push out": then} {
				if err == nil || !strings.Contains(err.Error(), "cannot push the layout from "+s.Dir+": "+tc.wrong) || !strings.Contains(err.Error(), fix) {
					t.Errorf("%s: got error %v", tc.reason, err)
				}
			}
		})
	}
}

func TestSameRepository(t *testing.T) {
	for other, want := range map[string]bool{
		"https://git.example.com/team/fleet":                true,
		"https://me@git.example.com/team/fleet.git":         true,
		"ssh://git@git.example.com:2222/team/fleet":         true,
		"git@git.example.com:team/fleet.git":                true,
		"https://git.example.com/team/other":                false,
		"https://mirror.example.com/team/fleet":             false,
		"--upload-pack=nothing-that-git-should-ever-see":    false,
		"https://git.example.com/team/fleet/../other/fleet": false,
	} {
		if got := sameRepository(other, "https://git.example.com/team/fleet"); got != want {
			t.Errorf("%s: got %v, want %v", other, got, want)
		}
	}
}

// What is in the place of the layout's files is found as it is, and stays.
func TestPlacesThatAreTaken(t *testing.T) {
	const file = "README.md"
	cases := map[string]struct {
		reason string
		take   func(dir string) error
		want   FileState
		wrong  string
	}{
		"Folder":  {"a folder in the place of a file", func(dir string) error { return os.Mkdir(filepath.Join(dir, file), 0o755) }, Other, ""},
		"Link":    {"a link, also one to nothing", func(dir string) error { return os.Symlink("nothing", filepath.Join(dir, file)) }, Other, ""},
		"Nothing": {"nothing yet", func(string) error { return nil }, Missing, ""},
		"File":    {"a file in the place of a folder", func(dir string) error { return os.WriteFile(filepath.Join(dir, "control-plane"), nil, 0o600) }, Other, "cannot look at control-plane/"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := Scaffold{Dir: t.TempDir()}
			if err := tc.take(s.Dir); err != nil {
				t.Fatal(err)
			}
			all, err := s.Write()
			if (err != nil) != (tc.wrong != "") || err != nil && !strings.Contains(err.Error(), tc.wrong) {
				t.Fatalf("%s: got error %v", tc.reason, err)
			}
			if at := slices.IndexFunc(all, func(f File) bool { return f.Path == file }); err == nil && (at < 0 || all[at].State != tc.want) {
				t.Errorf("%s: found %v", tc.reason, all)
			}
		})
	}
	gone := Scaffold{Dir: filepath.Join(t.TempDir(), "gone")}
	for what, try := range map[string]func() ([]File, error){"looked at": gone.Files, "written": gone.Write} {
		if _, err := try(); err == nil || !strings.Contains(err.Error(), "clone the repository there first, or make the folder with git init") {
			t.Errorf("a work tree that is not there is %s: %v", what, err)
		}
	}
}

// Nothing of the layout is as it has it: all of it is somebody's, and nothing is committed.
func TestCommitOfNothing(t *testing.T) {
	s := Scaffold{Dir: workTree(t)}
	all, err := s.Write()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		put(t, s.Dir, f.Path, "mine\n")
	}
	foretold(t, s, false)
	if done, err := s.Commit(t.Context()); err != nil || done {
		t.Errorf("committed: %v, error %v", done, err)
	}
}
