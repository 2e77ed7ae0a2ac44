package application

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/report"
)

// whatRuns is an Application with a sync that somebody asked for and that runs.
func whatRuns(sync v1alpha1.SyncOperation, sources ...v1alpha1.ApplicationSource) *v1alpha1.Application {
	app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Sources: sources}}
	app.UID, app.Spec.Destination.Namespace = "1", "web"
	app.Status.OperationState = begin(v1alpha1.Operation{Sync: &sync}, wanted{}, at)
	return app
}

// TestPinned is about what an operation keeps to.
func TestPinned(t *testing.T) {
	here := v1alpha1.ApplicationSources{web, db}
	cases := map[string]struct {
		reason  string
		change  func(op *v1alpha1.Operation)
		sources v1alpha1.ApplicationSources
		kept    bool
	}{
		"same":     {"the branches have moved", nil, here, true},
		"branch":   {"another one is asked for meanwhile", nil, v1alpha1.ApplicationSources{with(web, "v2"), db}, true},
		"path":     {"of other sources nothing is known", nil, v1alpha1.ApplicationSources{{RepoURL: web.RepoURL, Path: "other"}, db}, false},
		"fewer":    {"or of fewer", nil, here[:1], false},
		"byItself": {"it gives way to a newer revision", func(op *v1alpha1.Operation) { op.InitiatedBy.Automated = true }, here, false},
		"rollback": {"one that goes back does not", func(op *v1alpha1.Operation) {
			op.InitiatedBy.Automated = true
			op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoRollback, Value: "then"})
		}, here, true},
		"spoilt": {"what cannot be read says nothing", func(op *v1alpha1.Operation) { op.Info[0].Value = "newest" }, here, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := whatRuns(v1alpha1.SyncOperation{}, here...)
			keep(app, here, []string{"old", "older"})
			keep(app, here, []string{"abc", "def"})
			if tc.change != nil {
				tc.change(&app.Status.OperationState.Operation)
			}
			if got := pinned(app, tc.sources); tc.kept != slices.Equal(got, []string{"abc", "def"}) || !tc.kept && got != nil {
				t.Errorf("%s: it keeps to %q", tc.reason, got)
			}
		})
	}
}

// TestRetryAtTheNewest: only who asks for it has a retry resolve its sources anew.
func TestRetryAtTheNewest(t *testing.T) {
	for name, tc := range map[string]struct {
		reason          string
		refresh, failed bool
		kept            bool
	}{
		"retry":   {"it tries the same again", false, true, true},
		"refresh": {"it was asked to try what is there then", true, true, false},
		"look":    {"each look at one try is at the same", true, false, true},
	} {
		app := whatRuns(v1alpha1.SyncOperation{}, web)
		keep(app, app.Spec.Sources, []string{"abc"})
		st := app.Status.OperationState
		if st.Operation.Retry.Refresh = tc.refresh; tc.failed {
			st.FinishedAt = &metav1.Time{Time: at}
		}
		again(st)
		if kept := pinned(app, app.Spec.Sources) != nil; kept != tc.kept {
			t.Errorf("%s: %s: it keeps to what it was at: %t", name, tc.reason, kept)
		}
	}
}

// branches resolves each revision to one that tells what was asked for.
type branches struct {
	Fetcher

	err error
}

func (b branches) Snapshot(_ context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	return &gitops.Snapshot{Revision: "tip of " + ref.Revision}, b.err
}

// TestSettle resolves what an operation names at its first look, and never again.
func TestSettle(t *testing.T) {
	cases := map[string]struct {
		reason  string
		sync    v1alpha1.SyncOperation
		project *v1alpha1.AppProject
		err     error
		want    string
	}{
		"spec":      {"it is at what was just compared", v1alpha1.SyncOperation{}, permitting("*"), nil, "abc"},
		"named":     {"a branch is what it is now", v1alpha1.SyncOperation{Revisions: []string{"v2"}}, permitting("*"), nil, "tip of v2"},
		"away":      {"what cannot be read now is read later", v1alpha1.SyncOperation{Revisions: []string{"v2"}}, permitting("*"), errors.New("away"), ""},
		"forbidden": {"what is not permitted is not read", v1alpha1.SyncOperation{Revisions: []string{"v2"}}, permitting(), nil, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := whatRuns(tc.sync, web)
			tg := &target{app: app, project: tc.project, cluster: somewhere{}, sources: app.Spec.Sources}
			r := &Reconciler{Options: Options{Fetch: branches{err: tc.err}}}
			for _, newest := range []string{"abc", "def"} {
				c := &comparison{wanted: wanted{sources: tg.sources, revisions: []string{newest}, multiple: true}, rendering: &gitops.Rendering{Digest: newest}}
				r.settle(t.Context(), tg, c)
				r.Fetch = branches{err: errors.New("asked again")}
			}
			if got := first(pinned(app, app.Spec.Sources)); got != tc.want {
				t.Errorf("%s: it keeps to %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestBegunWithSomethingElse: what a sync was not seen to begin with, or where, begins
// when it comes, so that a window in which nothing begins holds it up.
func TestBegunWithSomethingElse(t *testing.T) {
	closing := v1alpha1.SyncWindows{{Kind: v1alpha1.SyncWindowKindDeny, Schedule: "0 11 * * *", Duration: "1h", Applications: []string{"*"}, SyncOverrun: true}}
	cases := map[string]struct {
		reason string
		change func(tg *target, c *comparison)
		goesOn bool
	}{
		"same":      {"it began in time", func(*target, *comparison) {}, true},
		"manifests": {"they came after that", func(_ *target, c *comparison) { c.rendering = &gitops.Rendering{Digest: "newer"} }, false},
		"cluster":   {"nothing had begun there", func(tg *target, _ *comparison) { tg.cluster = server{address: "https://prod"} }, false},
		"namespace": {"nor there", func(tg *target, _ *comparison) { tg.app.Spec.Destination.Namespace = "prod" }, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			now := at
			r := &Reconciler{Options: Options{Seal: operation.NewSeal([]byte("x")), Now: func() time.Time { return now }}, journal: newJournal(nil, nil)}
			project := permitting("*")
			project.Spec.SyncWindows = closing
			tg := &target{app: whatRuns(v1alpha1.SyncOperation{}, web), project: project, cluster: server{address: "https://dev"}, sources: v1alpha1.ApplicationSources{web}}
			c := &comparison{wanted: wanted{revisions: []string{"abc"}}, rendering: &gitops.Rendering{Digest: "first"}}
			r.settle(t.Context(), tg, c)
			r.own(tg.app, tg, asRead{})
			now = at.Add(45 * time.Minute)
			if !r.windowOpen(t.Context(), &report.Outcome{}, tg) {
				t.Fatalf("a sync that began in time does not go on: %s", tg.app.Status.OperationState.Message)
			}
			tc.change(tg, c)
			if goesOn := r.mayBring(t.Context(), &report.Outcome{}, tg, c); goesOn != tc.goesOn {
				t.Errorf("%s: it goes on: %t", tc.reason, goesOn)
			}
			r.own(tg.app, tg, asRead{running: tg.app.Status.OperationState.StartedAt})
			if goesOn := r.windowOpen(t.Context(), &report.Outcome{}, tg); goesOn != tc.goesOn {
				t.Errorf("%s: at the next look it goes on: %t", tc.reason, goesOn)
			}
		})
	}
}
