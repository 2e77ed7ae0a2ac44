package up

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/test/await"
)

// TestAFleetThatCannotStart lets go of its home, and whoever looks later finds why: the start before has left nothing that
// would be taken for this one's.
func TestAFleetThatCannotStart(t *testing.T) {
	t.Setenv("CAUSEWAY_KUBE", filepath.Join(t.TempDir(), "nope"))
	file, state := filepath.Join(clitest.NewStranger(t).Dir, "causeway.yaml"), t.TempDir()
	home := stopped(t, state, "f")
	writeProgress(t, home.Progress(), fleetstatus.Snapshot{Healthy: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)})
	if err := home.WriteSignIn(local.SignIn{URL: "http://127.0.0.1:7080", Password: "p"}); err != nil {
		t.Fatal(err)
	}
	clitest.Run(t, New, "--file", file, "--state-dir", state).Says(t, "there is no control plane", command.ExitFailed, "nope")
	s, err := fleetstatus.Read(home.Progress())
	if err != nil || !s.Healthy.IsZero() || !strings.Contains(s.Failure, "nope") {
		t.Errorf("its progress is %+v, %v", s, err)
	}
	if in, err := home.SignIn(); err != nil || in == nil || in.URL != "" || in.Password != "p" {
		t.Errorf("nobody serves pages, and its password is for the next start: %+v, %v", in, err)
	}
	if fleet, err := home.Recall(); err != nil || fleet.Name != "f" || home.Running() {
		t.Errorf("it was %+v, %v, and runs: %t", fleet, err, home.Running())
	}
	if before, err := os.ReadFile(home.Log() + ".1"); err != nil || string(before) != "it ran\n" {
		t.Errorf("the log of the start before is %q, %v", before, err)
	}
}

// TestAFreshFleetForgets what an earlier start has left, and one that is not fresh has its clusters still.
func TestAFreshFleetForgets(t *testing.T) {
	t.Setenv("CAUSEWAY_KUBE", filepath.Join(t.TempDir(), "nope"))
	file := filepath.Join(clitest.NewStranger(t).Dir, "causeway.yaml")
	for args, stays := range map[string]bool{"": true, "--fresh": false} {
		state := t.TempDir()
		kept := filepath.Join(stopped(t, state, "f").ClusterDir("hub"), "data")
		if err := errors.Join(os.MkdirAll(filepath.Dir(kept), 0o700), os.WriteFile(kept, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		clitest.Run(t, New, append(strings.Fields(args), "--file", file, "--state-dir", state)...).Says(t, args, command.ExitFailed)
		if _, err := os.Stat(kept); (err == nil) != stays {
			t.Errorf("%q: what the cluster has: %v", args, err)
		}
	}
}

// TestAFleetOfFlags has the namespace and the mirrors of its flags, and a mirror of a flag wins over the file's.
func TestAFleetOfFlags(t *testing.T) {
	dir, charts := clitest.NewStranger(t).Dir, t.TempDir()
	const url = "https://charts.example.com"
	u := &upFlags{Global: &command.Global{Namespace: "team"}, flags: local.Flags{Repo: dir, Apply: []string{filepath.Join(dir, "charts")}}, mirrors: []string{url + "=" + dir, url + "=" + charts}, programs: true}
	fleet, err := u.fleetWanted(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var mirrored []string
	for _, m := range fleet.Mirrors {
		if m.URL == url {
			mirrored = append(mirrored, m.Path)
		}
	}
	if fleet.Namespace != "team" || !fleet.Programs || !slices.Equal(mirrored, []string{charts}) {
		t.Errorf("got %+v, and charts of %q", fleet, mirrored)
	}
	u.mirrors = []string{url + "=" + filepath.Join(charts, "nope")}
	if _, err := u.fleetWanted(t.Context()); err == nil || !strings.Contains(err.Error(), "nope") {
		t.Errorf("a folder that is not there serves nothing: %v", err)
	}
}

// TestTheStateFolderGoesWithItsLastFleet, unless somebody named it.
func TestTheStateFolderGoesWithItsLastFleet(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	a, b := stopped(t, state, "a"), stopped(t, state, "b")
	var g command.Global
	g.Streams = command.Streams{Err: &strings.Builder{}}
	for _, step := range []struct {
		reason string
		home   local.Home
		stays  bool
	}{{"another fleet is there", a, true}, {"it was the last", b, false}} {
		if err := down(t.Context(), &g, step.home, true); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(state); (err == nil) != step.stays {
			t.Errorf("%s: %v", step.reason, err)
		}
	}
}

// TestTheBackgroundIsShownUntilItIsWell: whoever started it sees the clusters come up, and the picture of the end is left.
func TestTheBackgroundIsShownUntilItIsWell(t *testing.T) {
	home := stopped(t, t.TempDir(), "f")
	s := fleetstatus.Snapshot{Fleet: "f", Healthy: time.Date(2026, 1, 1, 12, 0, 9, 0, time.UTC), Clusters: []fleetstatus.Cluster{{Name: "dev", State: fleetstatus.Ready}}}
	writeProgress(t, home.Progress(), s)
	var out strings.Builder
	u := &upFlags{Global: clitest.Global(t, &out), timeout: await.Limit}
	last, err := u.watch(t.Context(), home, nil)
	if err != nil || !last.Healthy.Equal(s.Healthy) || len(last.Clusters) != 1 {
		t.Errorf("got %+v, %v", last, err)
	}
}

// TestWhoIsInterruptedLeavesNothingBehind: that it runs no longer is what was wanted, and another trouble is told.
func TestWhoIsInterruptedLeavesNothingBehind(t *testing.T) {
	broken := errors.New("broken")
	for reason, c := range map[string]struct{ err, want error }{"it was stopped": {nil, nil}, "it ran no longer": {local.ErrNotRunning, nil}, "it cannot be stopped": {broken, broken}} {
		if got := unlessStopped(c.err); !errors.Is(got, c.want) {
			t.Errorf("%s: %v", reason, got)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := (&upFlags{timeout: time.Minute}).await(over, fleetstatus.File{Path: "/nope"}, nil, homeIn(t, t.TempDir(), "f"))
	if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "goes on in the background") {
		t.Errorf("nobody's time is over: %v", err)
	}
}
