package journal

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/report"
)

// ending is the end of one reconcile.
type ending struct {
	stage  report.Stage
	err    error
	change func(*state.Target)
	c      *state.Comparison
}

func (l ending) note(ctx context.Context, s *Milestones) {
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "shop", UID: "1"}}
	t := &state.Target{
		Subject: state.Subject{
			App: app, Cluster: somewhere{}, Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"abc"},
			Commits: []*gitops.Commit{{Author: "ann", Message: "Make it blue", Date: at}},
		},
	}
	if l.change != nil {
		l.change(t)
	}
	out := report.New("Application", nil, nil, nil, nil, nil).Begin(ctx, app)
	if l.err != nil {
		_ = out.Failed(l.stage, l.err)
	}
	s.Note(out, t, l.c)
}

func compared(sync gitops.SyncCode) *state.Comparison {
	return &state.Comparison{Comparison: compare.Comparison{Rendering: &gitops.Rendering{}, Plan: &gitops.Plan{Sync: sync}}}
}

func behind(withheld, digest string) *state.Comparison {
	c := compared(gitops.OutOfSync)
	c.Withheld, c.Rendering.Digest = withheld, digest
	return c
}

func TestMilestones(t *testing.T) {
	synced := func(revisions ...string) func(*state.Target) {
		return func(t *state.Target) {
			t.App.Status.History = v1alpha1.RevisionHistories{{Revision: revisions[0]}}
			if len(revisions) > 1 {
				t.Revisions, t.App.Status.History[0].Revisions = revisions, revisions
			}
		}
	}
	cases := map[string]struct {
		reason string
		ending ending
		state  history.State
		stage  history.Stage
		says   string
	}{
		"fine":            {"where nothing is wrong, the sync has told of it", ending{c: compared(gitops.Synced)}, "", "", ""},
		"invalid":         {"a commit that cannot be rendered has failed", ending{stage: report.Render, err: gitops.Problemf(gitops.Invalid, "no such field")}, history.StepFailed, history.Rendered, "no such field"},
		"refused":         {"so has one that the cluster refuses", ending{stage: report.Plan, err: gitops.Problemf(gitops.Forbidden, "not in the project")}, history.StepFailed, history.Planned, "not in the project"},
		"cluster away":    {"what another try may settle is not the commit's fault", ending{stage: report.Plan, err: gitops.Problemf(gitops.Unreachable, "no answer")}, history.StepWaiting, history.Planned, "no answer"},
		"not ready":       {"nor is what it waits for", ending{stage: report.Render, err: gitops.Problemf(gitops.NotReady, "being read")}, history.StepWaiting, history.Rendered, "being read"},
		"of no kind":      {"nor is what nobody knows", ending{stage: report.Render, err: errors.New("odd")}, history.StepWaiting, history.Rendered, "odd"},
		"of the sync":     {"what fails in a sync, the sync tells", ending{stage: report.Apply, err: gitops.Problemf(gitops.Invalid, "no")}, "", "", ""},
		"nobody syncs":    {"what is not brought there waits for somebody, and says why", ending{c: behind("a window is closed", "1")}, history.StepWaiting, history.Applied, "a window is closed"},
		"another before":  {"so does the next one", ending{change: synced("old"), c: behind("", "1")}, history.StepWaiting, history.Applied, ""},
		"drift":           {"of a commit that was synced before it is drift", ending{change: synced("abc"), c: behind("", "1")}, "", "", ""},
		"drift of two":    {"with several sources, too", ending{change: synced("abc", "def"), c: behind("", "1")}, "", "", ""},
		"is synced":       {"a sync that is asked for is not waited for", ending{change: func(t *state.Target) { t.App.Operation = &v1alpha1.Operation{} }, c: behind("", "1")}, "", "", ""},
		"fails, compared": {"a failure counts before what the comparison says", ending{stage: report.Plan, err: gitops.Problemf(gitops.Invalid, "no"), c: behind("later", "1")}, history.StepFailed, history.Planned, "no"},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			h := &told{}
			tc.ending.note(t.Context(), NewMilestones(h, func() time.Time { return at }))
			if tc.state == "" && len(h.steps) == 0 {
				return
			}
			if len(h.steps) != 1 {
				t.Fatalf("%s: it is told %+v", tc.reason, h.steps)
			}
			got := h.steps[0]
			if got.State != tc.state || got.Stage != tc.stage || got.Message != tc.says {
				t.Errorf("%s: it is told %q at %q: %q; want %q at %q: %q", tc.reason, got.State, got.Stage, got.Message, tc.state, tc.stage, tc.says)
			}
			if got.App.Name != "shop" || got.Project != "default" || got.Cluster != "dev" || got.At != at || len(got.Commits) != 1 || got.Commits[0].Author != "ann" || got.Commits[0].Subject != "Make it blue" {
				t.Errorf("%s: it is told of %+v", tc.reason, got)
			}
		})
	}
}

// What is no commit's is told to nobody.
func TestMilestonesOfNoCommit(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	now := metav1.NewTime(at)
	h := &told{}
	s := NewMilestones(h, func() time.Time { return at })
	ending{c: behind("", "1")}.note(ended, s) //nolint:contextcheck // the process ends
	for _, change := range []func(*state.Target){
		func(t *state.Target) { t.Revisions = nil },
		func(t *state.Target) { t.Brought = &state.Brought{} },
		func(t *state.Target) { t.App.DeletionTimestamp = &now },
	} {
		ending{change: change, c: behind("", "1")}.note(t.Context(), s)
	}
	if s.Note(report.New("Application", nil, nil, nil, nil, nil).Begin(t.Context(), &v1alpha1.Application{}), nil, nil); len(h.steps) != 0 {
		t.Errorf("it is told %+v", h.steps)
	}
	ending{c: behind("", "1")}.note(t.Context(), NewMilestones(nil, time.Now)) // without a history
}

// The same is told once: until it is another thing, another commit, or the
// Application begins anew.
func TestMilestonesAreToldOnce(t *testing.T) {
	h := &told{}
	s := NewMilestones(h, func() time.Time { return at })
	shop := client.ObjectKey{Namespace: "argocd", Name: "shop"}
	broken := ending{stage: report.Render, err: gitops.Problemf(gitops.Invalid, "no such field")}
	later := broken
	later.change = func(t *state.Target) { t.Revisions = []string{"def"} }
	moved := ending{change: func(t *state.Target) { t.Revisions = []string{"ghi"} }, c: behind("", "1")}
	for _, step := range []struct {
		reason string
		ending ending
		forget bool
		state  history.State
	}{
		{"it is new", broken, false, history.StepFailed},
		{"it is known", broken, false, ""},
		{"another commit fails in the same way", later, false, history.StepFailed},
		{"it waits now", ending{c: behind("", "1")}, false, history.StepWaiting},
		{"a commit that renders the same changes nothing here", moved, false, ""},
		{"what it waits for is another thing", ending{c: behind("a window is closed", "1")}, false, history.StepWaiting},
		{"it renders anew", ending{c: behind("a window is closed", "2")}, false, history.StepWaiting},
		{"it was forgotten", ending{c: behind("a window is closed", "2")}, true, history.StepWaiting},
	} {
		if step.forget {
			s.Forget(shop)
		}
		h.steps = nil
		step.ending.note(t.Context(), s)
		var got history.State
		for _, one := range h.steps {
			got += one.State
		}
		if got != step.state {
			t.Errorf("%s: %q, want %q", step.reason, got, step.state)
		}
	}
}
