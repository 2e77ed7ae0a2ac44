package applicationset

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/comparisons"
	"github.com/causeway-gitops/causeway/internal/policy/rollout"
	"github.com/causeway-gitops/causeway/internal/report"
)

// compared is an Application that is out of sync at a revision, whose last sync brought it there an hour ago.
func compared(changes ...func(*v1alpha1.Application)) *v1alpha1.Application {
	source := v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/shop", TargetRevision: "main"}
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "shop", UID: "u"}, Spec: v1alpha1.ApplicationSpec{Source: &source}}
	ended := v1alpha1.NewTime(time.Now().Add(-time.Hour))
	app.Status.Sync = v1alpha1.SyncStatus{Status: v1alpha1.SyncStatusCodeOutOfSync, Revision: "new", ComparedTo: v1alpha1.ComparedTo{Source: source}}
	app.Status.Health.Status = v1alpha1.HealthStatusHealthy
	app.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationSucceeded, FinishedAt: &ended, SyncResult: &v1alpha1.SyncOperationResult{Revision: "new", Source: source}}
	for _, change := range changes {
		change(app)
	}
	return app
}

// TestWhatARollOutSyncs: what was not tried at its revision is due; what was, has drifted, and is brought back where the
// template asks for that, but not at once.
func TestWhatARollOutSyncs(t *testing.T) {
	heals := &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{SelfHeal: new(bool)}}
	*heals.Automated.SelfHeal = true
	at := func(revision string) func(*v1alpha1.Application) {
		return func(a *v1alpha1.Application) { a.Status.OperationState.SyncResult.Revision = revision }
	}
	elsewhere := func(a *v1alpha1.Application) { a.Status.OperationState.SyncResult.Source.Path = "other" }
	wanting := func(a *v1alpha1.Application) { a.Status.OperationState.SyncResult.Source.TargetRevision = "v1" }
	lately := func(a *v1alpha1.Application) {
		now := v1alpha1.NewTime(time.Now())
		a.Status.OperationState.FinishedAt = &now
	}
	failed := func(a *v1alpha1.Application) { a.Status.OperationState.Phase = v1alpha1.OperationFailed }
	synced := func(a *v1alpha1.Application) { a.Status.Sync.Status = v1alpha1.SyncStatusCodeSynced }
	never := func(a *v1alpha1.Application) { a.Status.OperationState = nil }
	asked := func(a *v1alpha1.Application) {
		a.Operation = &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Revision: "new"}}
	}
	for name, c := range map[string]struct {
		reason       string
		app          *v1alpha1.Application
		policy       *v1alpha1.SyncPolicy
		due, drifted bool
	}{
		"New":       {"no sync was of this revision", compared(at("old")), heals, true, false},
		"Never":     {"there was none at all", compared(never), nil, true, false},
		"Elsewhere": {"one of another path brought something else", compared(elsewhere), nil, true, false},
		"Wanting":   {"what the revision was called does not matter", compared(wanting), nil, false, false},
		"Drifted":   {"it was brought here, and differs again", compared(), heals, false, true},
		"Left":      {"which is left alone where nobody asks for more", compared(), nil, false, false},
		"Lately":    {"and for a while where something may change it back all the time", compared(lately), heals, false, false},
		"Failed":    {"what failed is not drift, and is not tried again by this", compared(failed), heals, false, false},
		"Synced":    {"it is as it should be", compared(synced, at("old")), heals, false, false},
		"Asked":     {"it has been asked for", compared(asked, at("old")), heals, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := &roller{Reconciler: New(Options{Looks: comparisons.NewBook()}), now: time.Now()}
			o.Looks.Note(c.app, []string{"new"})
			got := o.seen(c.app, wanted{policy: c.policy}, &report.Outcome{})
			if got.Due != c.due || got.Drifted != c.drifted {
				t.Errorf("%s: due %t, drifted %t", c.reason, got.Due, got.Drifted)
			}
		})
	}
}

// TestLooksThatCount: a status speaks of the spec that it was compared to, and is not older than this engine's last look.
func TestLooksThatCount(t *testing.T) {
	several := func(a *v1alpha1.Application) {
		a.Spec.Sources = v1alpha1.ApplicationSources{*a.Spec.Source, {RepoURL: "https://charts.example.com", Chart: "shop"}}
	}
	for name, c := range map[string]struct {
		reason string
		change func(*v1alpha1.Application)
		late   bool // the status is another one than that of the look
		fresh  bool
	}{
		"Same":        {"it was compared as it is", func(*v1alpha1.Application) {}, false, true},
		"Source":      {"the source is another one since", func(a *v1alpha1.Application) { a.Spec.Source.Path = "other" }, false, false},
		"Destination": {"so is where it goes", func(a *v1alpha1.Application) { a.Spec.Destination.Namespace = "other" }, false, false},
		"More":        {"one of two sources is not both", several, false, false},
		"Several":     {"both are", func(a *v1alpha1.Application) { several(a); a.Status.Sync.ComparedTo.Sources = a.Spec.Sources }, false, true},
		"Unknown":     {"nothing was found out", func(a *v1alpha1.Application) { a.Status.Sync.Status = v1alpha1.SyncStatusCodeUnknown }, false, false},
		"Late":        {"the cache is behind the last look", func(a *v1alpha1.Application) { a.Status.Sync.Status = v1alpha1.SyncStatusCodeSynced }, true, false},
	} {
		app := compared()
		o := &roller{Reconciler: New(Options{Looks: comparisons.NewBook()}), now: time.Now()}
		o.Looks.Note(app, []string{"new"})
		if c.change(app); !c.late {
			o.Looks.Note(app, []string{"new"})
		}
		if got := o.seen(app, wanted{}, &report.Outcome{}); got.Fresh != c.fresh {
			t.Errorf("%s: %s: it counts: %t", name, c.reason, got.Fresh)
		}
		app.UID = "made anew"
		if got := o.seen(app, wanted{}, &report.Outcome{}); got.Fresh {
			t.Errorf("%s: a look at a former Application of the name counts", name)
		}
	}
}

// TestSyncsOfARollOut are of the revisions that were looked at, in the way that the template has for automated syncs.
func TestSyncsOfARollOut(t *testing.T) {
	prune := true
	o := &roller{Reconciler: New(Options{Looks: comparisons.NewBook()}), set: &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "addons"}}, wanted: map[string]wanted{
		"shop": {policy: &v1alpha1.SyncPolicy{
			Automated: &v1alpha1.SyncPolicyAutomated{Prune: &prune}, SyncOptions: v1alpha1.SyncOptions{"PruneLast=true"}, Retry: &v1alpha1.RetryStrategy{Limit: 1},
		}},
	}}
	one, two := compared(), compared(func(a *v1alpha1.Application) {
		a.Name, a.Spec.Sources = "two", v1alpha1.ApplicationSources{*a.Spec.Source, {RepoURL: "https://charts.example.com", Chart: "shop"}}
	})
	o.Looks.Note(one, []string{"seen"})
	o.Looks.Note(two, []string{"seen", "1.2.0"})
	want := &v1alpha1.SyncOperation{Revision: "seen", Prune: true, SyncOptions: v1alpha1.SyncOptions{"PruneLast=true"}}
	got := o.operation(one)
	if diff := cmp.Diff(want, got.Sync); diff != "" || got.Retry.Limit != 1 || got.InitiatedBy.Username != v1alpha1.ApplicationSetInitiator || !got.InitiatedBy.Automated {
		t.Errorf("it is tried %d times, for %+v (-want +got):\n%s", got.Retry.Limit, got.InitiatedBy, diff)
	}
	got = o.operation(two)
	if diff := cmp.Diff(&v1alpha1.SyncOperation{Revisions: []string{"seen", "1.2.0"}}, got.Sync); diff != "" || got.Retry.Limit != retries {
		t.Errorf("without a word it is tried %d times (-want +got):\n%s", got.Retry.Limit, diff)
	}
}

// TestRollOutsAreOfOneSet: how far it was is not how far another set of its name is, and what is known is not changed by
// whoever reads it.
func TestRollOutsAreOfOneSet(t *testing.T) {
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "addons", UID: "u"}}
	set.Status.ApplicationStatus = []rollout.Entry{{Application: "written"}}
	r := NewRollouts()
	if got := r.entries(set); len(got) != 1 || got[0].Application != "written" {
		t.Errorf("an engine that starts goes by %v", got)
	}
	r.keep(set, []rollout.Entry{{Application: "kept"}})
	got := r.entries(set)
	got[0].Application = "changed"
	if again := r.entries(set); again[0].Application != "kept" {
		t.Errorf("then it goes by %v", again)
	}
	set.UID = "made anew"
	if got := r.entries(set); got[0].Application != "written" {
		t.Errorf("another set of the name goes by %v", got)
	}
}
