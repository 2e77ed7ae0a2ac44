package up

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/local"
)

// TestFleetsThatCannotBeMeant are refused before anything starts.
func TestFleetsThatCannotBeMeant(t *testing.T) {
	clitest.Refuses(t, New, map[string]string{
		"": "name a LocalFleet file with --file, or a repository with --repo", "x": `cannot take the argument "x"`, "--file f.yaml --repo .": "cannot take both --file and --repo", "--repo .": "there is nothing to apply: give --apply",
		"--file f.yaml --clusters dev": "cannot take both --file and --clusters", "--file f.yaml --secret dev.yaml": "cannot take both --file and --secret", "--file f.yaml --apply boot": "cannot take both --file and --apply",
		"--file f.yaml --once --detach": "cannot take both --once and --detach", "--file f.yaml --workers -1": "cannot take --workers -1, which is less than nothing",
		"--file f.yaml --store-size much": "--store-size",
	})
	clitest.Run(t, New, "--file", filepath.Join(t.TempDir(), "nope.yaml")).Says(t, "it is not there", command.ExitFailed, "nope.yaml")
	clitest.Run(t, New, "--file", "f.yaml", "--mirror", "https://git.example.com/shop").Says(t, "a mirror has a folder", command.ExitUsage, "URL=PATH")
}

// TestAFleetIsCalledByItsFlag: the name becomes a folder, which is one of the state folder.
func TestAFleetIsCalledByItsFlag(t *testing.T) {
	file := filepath.Join(clitest.NewStranger(t).Dir, "causeway.yaml")
	for name, wrong := range map[string]bool{"": false, "mine": false, "../mine": true, "a/b": true, "My Fleet": true, "-": true, strings.Repeat("a", 64): true} {
		u := &upFlags{Global: &command.Global{Fleet: name}, file: file}
		fleet, err := u.fleetWanted(t.Context())
		if wrong {
			if command.ExitCode(err) != command.ExitUsage || !strings.Contains(err.Error(), "--fleet: ") {
				t.Errorf("%q: %v", name, err)
			}
			continue
		}
		want := name
		if want == "" {
			want = "f"
		}
		if err != nil || fleet.Name != want {
			t.Errorf("%q: %+v, %v", name, fleet, err)
		}
	}
}

// TestAFleetRunsOnce at a time: a second one is told who runs it, and spoils nothing of it.
func TestAFleetRunsOnce(t *testing.T) {
	file, state := filepath.Join(clitest.NewStranger(t).Dir, "causeway.yaml"), t.TempDir()
	home := homeIn(t, state, "f")
	lock, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	if err := home.WriteSignIn(local.SignIn{URL: "http://127.0.0.1:7080"}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{nil, {"--detach"}, {"--fresh"}} {
		clitest.Run(t, New, append([]string{"--file", file, "--state-dir", state}, args...)...).
			Says(t, "it runs", command.ExitFailed, "cannot start fleet f (process ", "it is running already; stop it with `causeway down`")
		if in, err := home.SignIn(); err != nil || in == nil || in.URL == "" {
			t.Errorf("%v: where it is signed in is forgotten: %+v, %v", args, in, err)
		}
	}
}

func homeIn(t *testing.T, state, name string) local.Home {
	t.Helper()
	home, err := local.HomeOf(state, name)
	if err != nil {
		t.Fatal(err)
	}
	return home
}

// stopped is the home of a fleet that ran, with something in it.
func stopped(t *testing.T, state, name string) local.Home {
	t.Helper()
	home := homeIn(t, state, name)
	lock, err := home.Lock()
	if err == nil {
		err = lock.Release()
	}
	if err == nil {
		err = local.WriteFile(home.Log(), []byte("it ran\n"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return home
}

// TestDownOfWhatDoesNotRun is no failure, and takes away no more than is asked for.
func TestDownOfWhatDoesNotRun(t *testing.T) {
	file := filepath.Join(clitest.NewStranger(t).Dir, "causeway.yaml")
	state := t.TempDir()
	down := func(args ...string) clitest.Left {
		return clitest.Run(t, NewDown, append(args, "--state-dir", state)...)
	}
	down().Says(t, "there is none", command.ExitFailed, "there is no local fleet")
	down("--file", file).Says(t, "it never ran", command.ExitFine, "fleet f is not running, and has no state\n")
	down("--file", file, "--delete").Says(t, "nor is there anything to remove", command.ExitFine, "fleet f is not running, and has no state\n")
	mine, other := stopped(t, state, "f"), stopped(t, state, "other")
	down().Says(t, "which of the two", command.ExitUsage, "no fleet runs, and f, other have state: name one with --fleet")
	down("--file", file).Says(t, "its state stays", command.ExitFine, "fleet f is not running: nothing to stop\n")
	if !mine.Exists() {
		t.Fatal("the state is gone")
	}
	down("--file", file, "--fleet", "other", "--delete").Says(t, "the flag says more than the file", command.ExitFine, "the state of fleet other is removed\n")
	if _, err := os.Stat(other.Dir()); !os.IsNotExist(err) || !mine.Exists() {
		t.Errorf("other is %v, and f is there: %t", err, mine.Exists())
	}
	down("--delete").Says(t, "the only one is meant", command.ExitFine, "the state of fleet f is removed\n")
	if _, err := os.Stat(state); err != nil {
		t.Errorf("a folder that was named is its owner's: %v", err)
	}
	down("--file", filepath.Join(state, "nope.yaml")).Says(t, "a file that is not there names none", command.ExitFailed, "nope.yaml")
}
