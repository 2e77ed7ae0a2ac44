package up

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/test/await"
)

// leaps is a clock that is an hour later whenever it is asked.
func leaps() func() time.Time {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time { now = now.Add(time.Hour); return now }
}

// sessionOf is a fleet of one cluster that is shown to nobody, with what it prints.
func sessionOf(t *testing.T, u *upFlags) (*session, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	u.Global = &command.Global{Streams: command.Streams{Out: &out, Err: &out}}
	fleet := &local.Fleet{Name: "f", Namespace: "argocd", Clusters: []local.Cluster{{Name: "hub", Hub: true}}, Next: "Look around.\n\n"}
	return &session{
		up: u, fleet: fleet, home: homeIn(t, t.TempDir(), "f"), teller: newTeller(u.Streams),
		board: fleetstatus.New("f", []string{"hub"}, leaps()), log: slog.New(slog.NewTextHandler(&out, nil)),
	}, &out
}

// TestWhoWaitsForHealthIsToldWhatLacks once the time is over; the process in the background has no such time, as somebody
// waits for it.
func TestWhoWaitsForHealthIsToldWhatLacks(t *testing.T) {
	s, out := sessionOf(t, &upFlags{timeout: time.Nanosecond})
	err := s.untilHealthy(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "not everything was Synced and Healthy within 1ns:\n  cluster hub is still starting") || out.Len() > 0 {
		t.Errorf("got %v and %q", err, out.String())
	}
	t.Setenv(detachedVariable, "true")
	over, cancel := context.WithTimeout(t.Context(), 3*settlePoll)
	defer cancel()
	if err := s.untilHealthy(over); err != nil {
		t.Errorf("in the background: %v", err)
	}
}

// TestTheBackgroundIsWaitedForUntilItIsWell, and what is told then is the picture of that moment.
func TestTheBackgroundIsWaitedForUntilItIsWell(t *testing.T) {
	home, well := homeIn(t, t.TempDir(), "f"), time.Date(2026, 1, 1, 12, 0, 9, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "progress.json")
	writeProgress(t, path, fleetstatus.Snapshot{Healthy: well})
	last, err := (&upFlags{timeout: await.Limit}).await(t.Context(), fleetstatus.File{Path: path}, nil, home)
	if err != nil || !last.Healthy.Equal(well) {
		t.Errorf("got %+v, %v", last, err)
	}
}

func writeProgress(t *testing.T, path string, s fleetstatus.Snapshot) {
	t.Helper()
	text, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestWhatBecomesOfTheBackground is told: where it ended, by the end of its log, and where it goes on, by how to end it.
func TestWhatBecomesOfTheBackground(t *testing.T) {
	home := stopped(t, t.TempDir(), "f")
	if err := local.WriteFile(home.Log(), []byte(strings.Repeat("early\n", 20)+"no room\n")); err != nil {
		t.Fatal(err)
	}
	writeProgress(t, home.Progress(), fleetstatus.Snapshot{Clusters: []fleetstatus.Cluster{{Name: "dev", State: fleetstatus.Failed, Error: "no room"}}})
	feed, ended := fleetstatus.File{Path: home.Progress()}, make(chan struct{})
	u := &upFlags{timeout: time.Minute}
	late, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	_, err := u.await(late, feed, ended, home)
	if err == nil || !strings.Contains(err.Error(), "within 1m0s:") || !strings.HasSuffix(err.Error(), "The fleet goes on in the background: see `causeway get apps`, or stop it with `causeway down`") {
		t.Errorf("it goes on: %v", err)
	}
	close(ended)
	_, err = u.await(t.Context(), feed, ended, home)
	if err == nil || !strings.HasPrefix(err.Error(), "the fleet did not come up; the end of ") || !strings.HasSuffix(err.Error(), "up.log says:\n"+strings.Repeat("early\n", 14)+"no room") {
		t.Errorf("it ended: %v", err)
	}
}

// TestAnEndThatNobodyAskedForIsAnError, however it ended.
func TestAnEndThatNobodyAskedForIsAnError(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	broken := errors.New("broken")
	if err := ended(over, broken, "the engine"); err != nil {
		t.Errorf("it was asked to end: %v", err)
	}
	if err := ended(t.Context(), broken, "the display"); !errors.Is(err, broken) || err.Error() != "the display ended: broken" {
		t.Errorf("it failed: %v", err)
	}
	if err := ended(t.Context(), nil, "the engine"); err == nil || err.Error() != "the engine ended by itself" {
		t.Errorf("it gave up: %v", err)
	}
}

// TestStepsAreNamedByWhatTheyDo of this fleet.
func TestStepsAreNamedByWhatTheyDo(t *testing.T) {
	s := &session{fleet: &local.Fleet{Apply: []string{"/src/boot", "/src/more/app.yaml"}}}
	if got := s.applied(); got != "boot, app.yaml" {
		t.Errorf("it applies %q", got)
	}
	if s.fleet.Undescribed = true; s.described() != "leaving the clusters' Secrets to something else" {
		t.Errorf("nobody describes them: %q", s.described())
	}
}

// TestTroubleWithTheFleetsFiles is shown until it is over, and stays in the log.
func TestTroubleWithTheFleetsFiles(t *testing.T) {
	s, out := sessionOf(t, &upFlags{})
	s.filesChanged(errors.New("line 3: no mapping"))
	if got := s.board.Snapshot().Problem; got != "line 3: no mapping" {
		t.Errorf("shown is %q", got)
	}
	s.filesChanged(nil)
	if got := s.board.Snapshot().Problem; got != "" {
		t.Errorf("it is mended, and shown is %q", got)
	}
	w := watcher{s.board, s.log}
	w.Failed("hub", errors.New("no room"))
	if c := s.board.Snapshot().Clusters[0]; c.State != fleetstatus.Failed || c.Error != "no room" {
		t.Errorf("a cluster that is down is shown as %+v", c)
	}
	for _, want := range []string{"cannot follow the fleet's files", "no mapping", "were applied again", "cluster is down", "no room"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, out.String())
		}
	}
}

// TestTheBackgroundTellsNothing: who started it does, and both write to one terminal.
func TestTheBackgroundTellsNothing(t *testing.T) {
	var out bytes.Buffer
	teller := newTeller(command.Streams{Out: &out, Err: &out})
	for value, want := range map[string]string{"": "a", "false": "a", "true": ""} {
		out.Reset()
		t.Setenv(detachedVariable, value)
		if err := teller.tell(t.Context(), "a"); err != nil || out.String() != want {
			t.Errorf("%s=%q: it tells %q, %v", detachedVariable, value, out.String(), err)
		}
	}
}
