package journal

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// TestBeginningOfASync: the history tells why a sync ran, by whom, and of what.
func TestBeginningOfASync(t *testing.T) {
	automated := v1alpha1.OperationInitiator{Automated: true}
	ann := v1alpha1.OperationInitiator{Username: "ann"}
	back := []v1alpha1.Info{{Name: gitops.InfoRollback, Value: "then"}}
	heals := &v1alpha1.SyncOperation{SelfHealAttemptsCount: 1}
	cases := map[string]struct {
		reason string
		op     v1alpha1.Operation
		want   history.Sync
	}{
		"automated":   {"Git has something new", v1alpha1.Operation{InitiatedBy: automated, Sync: &v1alpha1.SyncOperation{}}, history.Sync{Cause: history.Automated}},
		"heal":        {"drift is undone", v1alpha1.Operation{InitiatedBy: automated, Sync: heals}, history.Sync{Cause: history.Heal}},
		"claims":      {"who asks for a sync heals nothing, whatever the operation counts", v1alpha1.Operation{InitiatedBy: ann, Sync: heals}, history.Sync{Cause: history.Requested, By: "ann (unverified)"}},
		"requested":   {"somebody asked", v1alpha1.Operation{InitiatedBy: ann, Sync: &v1alpha1.SyncOperation{}}, history.Sync{Cause: history.Requested, By: "ann (unverified)"}},
		"nothing":     {"another tool says no word of a sync", v1alpha1.Operation{}, history.Sync{Cause: history.Requested}},
		"dry run":     {"it changes nothing", v1alpha1.Operation{InitiatedBy: ann, Sync: &v1alpha1.SyncOperation{DryRun: true}}, history.Sync{Cause: history.Requested, By: "ann (unverified)", DryRun: true}},
		"rollback":    {"somebody goes back, and to what", v1alpha1.Operation{InitiatedBy: ann, Sync: &v1alpha1.SyncOperation{}, Info: back}, history.Sync{Cause: history.Rollback, By: "ann (unverified)", Of: "then"}},
		"by itself":   {"an atomic sync is undone", v1alpha1.Operation{InitiatedBy: automated, Sync: &v1alpha1.SyncOperation{}, Info: back}, history.Sync{Cause: history.AutomaticRollback, Of: "then"}},
		"back, heals": {"that it goes back counts before that it heals", v1alpha1.Operation{InitiatedBy: automated, Sync: heals, Info: back}, history.Sync{Cause: history.AutomaticRollback, Of: "then"}},
		"sealed": {"by which request is kept, so that it counts once", v1alpha1.Operation{InitiatedBy: ann, Info: []v1alpha1.Info{{Name: gitops.InfoAsked, Value: "r1"}}},
			history.Sync{Cause: history.Requested, By: "ann (unverified)", Request: "r1"}},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			tg := syncing(at)
			tg.App.Status.OperationState = opstate.Begin(tc.op, opstate.Wanted{}, at)
			tc.want.ID, tc.want.App = history.ID("1", at), history.App{Namespace: "argocd", Name: "shop", UID: "1"}
			tc.want.Project, tc.want.Cluster, tc.want.Server, tc.want.Started = "default", "dev", "https://dev", at
			got := NewJournal(&told{}, (&clock{at}).Now).Open(tg).Sync
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTrailIsOfOneSync: what is noted belongs to the operation that runs now, of the
// Application that has the name now.
func TestTrailIsOfOneSync(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		change func(*v1alpha1.Application)
		same   bool
	}{
		"Goes on": {"the next look notes more of the same", func(*v1alpha1.Application) {}, true},
		"Retried": {"another try is the same sync", func(a *v1alpha1.Application) { a.Status.OperationState.RetryCount = 3 }, true},
		"Next": {"another operation began", func(a *v1alpha1.Application) {
			a.Status.OperationState.StartedAt = opstate.Seconds(at.Add(time.Second))
		}, false},
		"Made anew": {"the Application was deleted, and made again within the second", func(a *v1alpha1.Application) { a.UID = "2" }, false},
		"Namesake":  {"another namespace has one of the same name", func(a *v1alpha1.Application) { a.Namespace, a.UID = "team", "2" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			j, tg := NewJournal(&told{}, (&clock{at}).Now), syncing(at)
			first := j.Open(tg)
			tc.change(tg.App)
			if got := j.Open(tg) == first; got != tc.same {
				t.Errorf("%s: it is the same: %t", tc.reason, got)
			}
		})
	}
	j, tg := NewJournal(&told{}, (&clock{at}).Now), syncing(at)
	first := j.Open(tg)
	if j.Forget(types.NamespacedName{Namespace: "argocd", Name: "shop"}); j.Open(tg) == first {
		t.Error("an Application that is gone is remembered")
	}
}

// TestNothingIsNotedWithoutAHistory by any of the steps of a sync.
func TestNothingIsNotedWithoutAHistory(t *testing.T) {
	j, tg := NewJournal(nil, (&clock{at}).Now), syncing(at)
	if tr := j.Open(tg); tr != nil {
		t.Errorf("it has a trail: %+v", tr)
	}
	j.Planned(tg, behind("", "1"))
	j.Waved(tg, &gitops.Wave{}, at, []gitops.Result{outcome("a", gitops.Created)})
	j.Superseded(nil, nil)
	j.Note(tg, &v1alpha1.ApplicationStatus{Health: v1alpha1.AppHealthStatus{Status: v1alpha1.HealthStatusHealthy}})
	if len(j.byApp) > 0 {
		t.Errorf("it remembers %v", j.byApp)
	}
}

// TestPlanOfASync: what is about to be applied, from which commits, and when the stages
// before it ended, which is told of the first plan alone.
func TestPlanOfASync(t *testing.T) {
	c := behind("", "d1")
	c.Sources, c.Revisions = v1alpha1.ApplicationSources{web, db, {RepoURL: "https://git.example.com/values", Ref: "values"}}, []string{"abc", "1.2.0"}
	tg := syncing(at)
	tg.Commits = []*gitops.Commit{{Author: "ann", Message: "Make it blue", Date: at.Add(-time.Hour)}, nil}
	tg.Passes = history.Passes{Began: at, Planned: at.Add(time.Second)}
	h := &told{}
	j := NewJournal(h, (&clock{at}).Now)
	j.Planned(tg, c)
	tg.Passes, tg.App.Status.OperationState.RetryCount = history.Passes{Began: at.Add(time.Hour), Planned: at.Add(2 * time.Hour)}, 2
	c.Rendering = &gitops.Rendering{Digest: "d2"}
	j.Planned(tg, c)

	got := j.Open(tg).Sync
	want := []history.Commit{
		{RepoURL: web.RepoURL, Revision: "abc", Author: "ann", Subject: "Make it blue", Date: at.Add(-time.Hour)},
		{RepoURL: db.RepoURL, Revision: "1.2.0"}, // a chart has no author
		{RepoURL: "https://git.example.com/values"},
	}
	if diff := cmp.Diff(want, got.Commits); diff != "" {
		t.Errorf("commits (-want +got):\n%s", diff)
	}
	if got.Passes.Began != at || got.Passes.Planned != at.Add(time.Second) || got.Retries != 2 {
		t.Errorf("the next try says when the commit was taken up: %+v, %d tries after the first", got.Passes, got.Retries)
	}
	if got.Rendering != "d2" || len(h.renderings) != 2 || h.renderings[1].Digest != "d2" {
		t.Errorf("the manifests of the last plan are not those that are kept: %q of %d", got.Rendering, len(h.renderings))
	}
	if sources := string(got.Sources); sources == "" || sources == "null" {
		t.Errorf("nobody can go back to the sources %q", sources)
	}
}

// TestPlanOfWhatIsBrought tells where it came from, not where the sources are now.
func TestPlanOfWhatIsBrought(t *testing.T) {
	tg, origin := syncing(at), &history.Origin{Brought: true}
	tg.Brought = &state.Brought{Origin: origin}
	j := NewJournal(&told{}, (&clock{at}).Now)
	if j.Planned(tg, behind("", "1")); j.Open(tg).Sync.Origin != origin {
		t.Errorf("it came from %+v", j.Open(tg).Sync.Origin)
	}
}
