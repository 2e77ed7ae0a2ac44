package target

import (
	"os"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/local"
)

// fleetIn leaves the state of a fleet, which runs or has stopped.
func fleetIn(t *testing.T, state, name string, runs bool) local.Home {
	t.Helper()
	home, err := local.HomeOf(state, name)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if runs {
		t.Cleanup(func() { _ = lock.Release() })
	} else if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	return home
}

// TestFleetThatIsMeant is the one that is named, or of which there is no doubt.
func TestFleetThatIsMeant(t *testing.T) {
	cases := map[string]struct {
		reason        string
		run, stopped  []string
		named         string
		want, refusal string
		code          int
	}{
		"one runs":         {reason: "what stands still is not meant where one runs", run: []string{"b"}, stopped: []string{"a", "c"}, want: "b"},
		"one has stopped":  {reason: "there is no other", stopped: []string{"a"}, want: "a"},
		"named":            {reason: "the name decides, also for one that stands still", run: []string{"b"}, stopped: []string{"a"}, named: "a", want: "a"},
		"several run":      {reason: "none is guessed", run: []string{"a", "b"}, refusal: "several fleets run (a, b): name one with --fleet", code: command.ExitUsage},
		"several, stopped": {reason: "nor of those that stand still", stopped: []string{"a", "b"}, refusal: "no fleet runs, and a, b have state: name one with --fleet", code: command.ExitUsage},
		"misspelt":         {reason: "the nearest is named", run: []string{"staging"}, named: "stagin", refusal: `there is no fleet "stagin" in `, code: command.ExitFailed},
		"none":             {reason: "it says how to begin", refusal: "start one with `causeway up`, or name the folder of its state with --state-dir", code: command.ExitFailed},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			for _, fleet := range c.run {
				fleetIn(t, state, fleet, true)
			}
			for _, fleet := range c.stopped {
				fleetIn(t, state, fleet, false)
			}
			home, err := Home(&command.Global{StateDir: state, Fleet: c.named})
			if c.refusal == "" {
				if err != nil || home.Fleet() != c.want {
					t.Errorf("%s: %v, %v", c.reason, home, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.refusal) || command.ExitCode(err) != c.code {
				t.Errorf("%s: %v", c.reason, err)
			}
		})
	}
}

// TestMisspeltFleetSuggestsTheNearest: a name that is a letter off is no puzzle.
func TestMisspeltFleetSuggestsTheNearest(t *testing.T) {
	state := t.TempDir()
	fleetIn(t, state, "staging", false)
	_, err := Home(&command.Global{StateDir: state, Fleet: "stagin"})
	if err == nil || !strings.HasSuffix(err.Error(), `did you mean "staging"?`) {
		t.Error(err)
	}
}

// TestHubsThatCannotBeLocated tells what is missing, and what to name instead.
func TestHubsThatCannotBeLocated(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	empty, stopped, starting := t.TempDir(), t.TempDir(), t.TempDir()
	home := fleetIn(t, stopped, "f", false)
	if err := os.WriteFile(home.Kubeconfig(), []byte(kubeconfigOfFleet), 0o600); err != nil {
		t.Fatal(err)
	}
	begins := fleetIn(t, starting, "f", true)
	if err := begins.Remember(&local.Fleet{Name: "f", Namespace: "argocd"}); err != nil {
		t.Fatal(err)
	}
	broken := t.TempDir() + "/kubeconfig"
	if err := os.WriteFile(broken, []byte("a: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason   string
		variable string
		g        command.Global
		want     string
		code     int
	}{
		"nothing":           {"both ways to name a hub are told", "", command.Global{StateDir: empty}, "; or name the hub with --kubeconfig or KUBECONFIG", command.ExitFailed},
		"stopped":           {"its state says that it was there", "", command.Global{StateDir: stopped}, "fleet f is not running: start it with `causeway up`, or name another hub with --kubeconfig", command.ExitFailed},
		"stopped, by file":  {"a refused connection would not say so", "", command.Global{Kubeconfig: home.Kubeconfig()}, "fleet f is not running", command.ExitFailed},
		"stopped, variable": {"as the variable that the tutorial sets", home.Kubeconfig(), command.Global{StateDir: empty}, "fleet f is not running", command.ExitFailed},
		"just starting":     {"there is no kubeconfig yet", "", command.Global{StateDir: starting}, "fleet f is just starting: its clusters are not ready yet", command.ExitFailed},
		"no such file":      {"the file is named", "", command.Global{StateDir: empty, Kubeconfig: "nowhere.yaml"}, "nowhere.yaml", command.ExitFailed},
		"no kubeconfig":     {"it is not taken for one without clusters", "", command.Global{StateDir: empty, Kubeconfig: broken}, "cannot use the kubeconfig", command.ExitFailed},
		"no such fleet":     {"KUBECONFIG does not stand in for a fleet that is named", home.Kubeconfig(), command.Global{StateDir: empty, Fleet: "f"}, `there is no fleet "f"`, command.ExitFailed},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", c.variable)
			_, err := locate(&c.g)
			if err == nil || !strings.Contains(err.Error(), c.want) || command.ExitCode(err) != c.code {
				t.Errorf("%s: got %v, want %q", c.reason, err, c.want)
			}
		})
	}
}

// TestUnknownContextSuggestsTheNearest, as a usage error: it is a word of the command line.
func TestUnknownContextSuggestsTheNearest(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("KUBECONFIG", "")
	path := t.TempDir() + "/kubeconfig"
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(kubeconfigOfFleet, "hub", "production")), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := locate(&command.Global{StateDir: t.TempDir(), Kubeconfig: path, Context: "prodution"})
	if err == nil || err.Error() != `the kubeconfig has no context "prodution"; did you mean "production"?` || command.ExitCode(err) != command.ExitUsage {
		t.Error(err)
	}
}
