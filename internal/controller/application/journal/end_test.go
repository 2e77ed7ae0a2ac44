package journal

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// TestSyncIsToldWhenItMoves, and not at each look: what waits is looked at every few seconds.
func TestSyncIsToldWhenItMoves(t *testing.T) {
	h, tg := &told{}, syncing(at)
	j, st := NewJournal(h, (&clock{at}).Now), tg.App.Status.OperationState
	for _, step := range []struct {
		reason string
		moves  func()
		told   bool
	}{
		{"nothing has begun", func() {}, false},
		{"it begins", func() { j.Open(tg) }, true},
		{"it waits", func() { st.Message = "waiting for Deployment web" }, false},
		{"it is planned", func() { j.Planned(tg, behind("", "1")) }, true},
		{"a wave is sent", func() { j.Waved(tg, &gitops.Wave{}, at, nil) }, true},
		{"it waits for that", func() { st.Message = "waiting for Deployment api" }, false},
		{"somebody ends it", func() { st.Phase = v1alpha1.OperationTerminating }, true},
		{"it is over", func() { st.Phase = v1alpha1.OperationFailed }, true},
		{"it is still over", func() {}, false},
	} {
		had := len(h.syncs)
		step.moves()
		if j.Advance(tg, nil); len(h.syncs) > had != step.told {
			t.Errorf("%s: told: %t", step.reason, !step.told)
		}
	}
	if got := h.last(); got.Phase != "Failed" || got.Message != "waiting for Deployment api" || len(j.byApp) != 0 {
		t.Errorf("at the end it is told %s: %q, and %d are followed", got.Phase, got.Message, len(j.byApp))
	}
}

// TestEndOfASync: what is told at the end of it.
func TestEndOfASync(t *testing.T) {
	entry := func(id int64, began time.Time) v1alpha1.RevisionHistory {
		at := opstate.Seconds(began)
		return v1alpha1.RevisionHistory{ID: id, DeployStartedAt: &at}
	}
	cases := map[string]struct {
		reason  string
		history v1alpha1.RevisionHistories
		want    string
	}{
		"recorded":  {"somebody can go back to its entry", v1alpha1.RevisionHistories{entry(6, at.Add(-time.Hour)), entry(7, at)}, "7"},
		"first":     {"an id may be 0", v1alpha1.RevisionHistories{entry(0, at)}, "0"},
		"not there": {"a sync that failed has none", v1alpha1.RevisionHistories{entry(6, at.Add(-time.Hour))}, "none"},
		"no time":   {"another tool writes entries without a time", v1alpha1.RevisionHistories{{ID: 6}}, "none"},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			c, h, tg := &clock{at}, &told{}, syncing(at)
			j := NewJournal(h, c.Now)
			j.Waved(tg, &gitops.Wave{Phase: gitops.Sync}, at, []gitops.Result{outcome("a", gitops.Created)})
			c.now = at.Add(time.Minute)
			tg.App.Status.OperationState.Phase, tg.App.Status.Health.Status = v1alpha1.OperationSucceeded, v1alpha1.HealthStatusProgressing
			tg.App.Status.History = tc.history
			j.Advance(tg, nil)
			s := h.last()
			got := "none"
			if s.History != nil {
				got = strconv.FormatInt(*s.History, 10)
			}
			if got != tc.want {
				t.Errorf("%s: its entry is %s", tc.reason, got)
			}
			if !s.Finished.Equal(c.now) || !s.Waves[0].Ended.Equal(c.now) || s.Health != gitops.Progressing {
				t.Errorf("it ended at %s, its wave at %s, and it is %s", s.Finished, s.Waves[0].Ended, s.Health)
			}
			if diff := cmp.Diff(history.Counts{Created: 1, Total: 1}, s.Changed); diff != "" {
				t.Errorf("what it changed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEndIsOfTheSyncThatRan: an operation that somebody else has written into the status
// since does not close the one that is followed.
func TestEndIsOfTheSyncThatRan(t *testing.T) {
	h, tg := &told{}, syncing(at)
	j := NewJournal(h, (&clock{at}).Now)
	j.Open(tg)
	ours := tg.App.Status.OperationState
	tg.App.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationSucceeded, StartedAt: opstate.Seconds(at.Add(time.Hour))}
	if j.Advance(tg, nil); len(h.syncs) > 0 {
		t.Errorf("it is told %+v", h.syncs)
	}
	tg.App.Status.OperationState = nil
	if j.Advance(tg, nil); len(h.syncs) > 0 {
		t.Errorf("without an operation it is told %+v", h.syncs)
	}
	tg.App.Status.OperationState = ours
	if j.Advance(tg, nil); len(h.syncs) != 1 {
		t.Error("the sync is not followed any more")
	}
}

// Operations have names of whole seconds, so one that follows at once is given
// the next second: it ends no earlier than that.
func TestAnOperationEndsNoEarlierThanItBegan(t *testing.T) {
	c := &clock{at.Add(300 * time.Millisecond)}
	h, tg := &told{}, syncing(at)
	j, app := NewJournal(h, c.Now), tg.App
	opstate.StartAutomated(app, opstate.Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"0000002"}}, 0, c.now)
	st := app.Status.OperationState
	if !st.StartedAt.After(c.now) {
		t.Fatalf("the second operation started at %s", st.StartedAt)
	}
	j.Open(tg)
	c.now = c.now.Add(100 * time.Millisecond)
	opstate.Record(app, c.now)
	opstate.Fail(st, "no room", c.now)
	if st.FinishedAt.Before(&st.StartedAt) || app.Status.History[0].DeployedAt.Before(&st.StartedAt) {
		t.Errorf("it began at %s, was recorded at %s and ended at %s", st.StartedAt, app.Status.History[0].DeployedAt, st.FinishedAt)
	}
	st.Phase = v1alpha1.OperationFailed
	j.Advance(tg, nil)
	s := h.last()
	if s.ID != history.ID("1", st.StartedAt.Time) || s.Started.After(c.now) || s.Finished.Before(s.Started) || s.History == nil {
		t.Errorf("the history has it from %s to %s, with entry %v", s.Started, s.Finished, s.History)
	}
}

// TestEndBeforeTheBeginning: a clock that is set back makes no sync of less than no time.
func TestEndBeforeTheBeginning(t *testing.T) {
	for name, end := range map[string]func(*Journal, *Trail){
		"superseded": func(j *Journal, tr *Trail) { j.Superseded(tr, nil) },
		"failed": func(j *Journal, _ *Trail) {
			tg := syncing(at)
			tg.App.Status.OperationState.Phase = v1alpha1.OperationFailed
			j.Advance(tg, nil)
		},
	} {
		c, h := &clock{at}, &told{}
		j := NewJournal(h, c.Now)
		tr := j.Open(syncing(at))
		c.now = at.Add(-time.Hour)
		if end(j, tr); !h.last().Finished.Equal(at) {
			t.Errorf("%s: it began at %s and ended at %s", name, at, h.last().Finished)
		}
	}
}

// TestSupersededSync says by what, and what it was busy with.
func TestSupersededSync(t *testing.T) {
	cases := map[string]struct {
		reason, message string
		by              *v1alpha1.SyncOperationResult
		want            string
	}{
		"waiting": {"what it waited for helps to find the fault", "waiting for Deployment web", &v1alpha1.SyncOperationResult{Revision: "0123456789abcdef0123456789abcdef01234567"}, "superseded by the sync to 0123456; before: waiting for Deployment web"},
		"nothing": {"it had not said anything", "", &v1alpha1.SyncOperationResult{Revision: "0123456789abcdef0123456789abcdef01234567"}, "superseded by the sync to 0123456"},
		"several": {"each source has a revision", "", &v1alpha1.SyncOperationResult{Revisions: []string{"0123456789abcdef0123456789abcdef01234567", "10.12.13"}}, "superseded by the sync to 0123456, 10.12.13"},
		"of none": {"manifests that an operation brings have none", "", &v1alpha1.SyncOperationResult{}, "superseded by the sync to manifests that are in no source"},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			c, h, tg := &clock{at}, &told{}, syncing(at)
			j := NewJournal(h, c.Now)
			j.Waved(tg, &gitops.Wave{Phase: gitops.Sync}, at, []gitops.Result{outcome("a", gitops.Created)})
			tg.App.Status.OperationState.Message = tc.message
			j.Advance(tg, nil)
			c.now = at.Add(time.Minute)
			j.Superseded(j.Open(tg), tc.by)
			s := h.last()
			if s.Message != tc.want || s.Phase != PhaseSuperseded {
				t.Errorf("%s: %s: %q, want %q", tc.reason, s.Phase, s.Message, tc.want)
			}
			if !s.Finished.Equal(c.now) || !s.Waves[0].Ended.Equal(c.now) || s.Changed.Created != 1 || !h.syncs[0].Waves[0].Ended.IsZero() {
				t.Errorf("it ended at %s, and changed %+v", s.Finished, s.Changed)
			}
		})
	}
}
