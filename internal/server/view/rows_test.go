package view

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// shown is what a list shows of an Application, but for what all have.
func shown(change func(*v1alpha1.Application)) *Row {
	app := &v1alpha1.Application{}
	change(app)
	return RowOf(app, "prod")
}

func TestWhatARowSays(t *testing.T) {
	at := v1alpha1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	source := v1alpha1.ApplicationSource{RepoURL: "https://a", Path: "web", TargetRevision: "main"}
	for name, tc := range map[string]struct {
		reason string
		change func(*v1alpha1.Application)
		want   Row
	}{
		"Nothing": {"of an empty one nothing is known", func(*v1alpha1.Application) {}, Row{}},
		"Health before errors": {"what is not healthy says why; errors are counted all the same", func(a *v1alpha1.Application) {
			a.Status.Health = v1alpha1.AppHealthStatus{Status: v1alpha1.HealthStatusDegraded, Message: "crashes"}
			a.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: "SyncError", Message: "refused"}, {Type: "ComparisonError", Message: "no path"}}
		}, Row{Health: "Degraded", Message: "crashes", Errors: 2}},
		"First error": {"else the first error does; a warning is none", func(a *v1alpha1.Application) {
			a.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: "OrphanedResourceWarning", Message: "left over"}, {Type: "SyncError", Message: "refused"}, {Type: "InvalidSpecError", Message: "no project"}}
		}, Row{Message: "refused", Errors: 2, Warnings: 1}},
		"One source": {"what it was compared with", func(a *v1alpha1.Application) {
			a.Spec.Source, a.Status.Sync.Revision = &source, "abc"
		}, Row{Sources: []Source{{RepoURL: "https://a", Path: "web", Target: "main", Revision: "abc"}}}},
		"More sources": {"than it was compared with: of the others nothing is known", func(a *v1alpha1.Application) {
			a.Spec.Sources, a.Status.Sync.Revision, a.Status.Sync.Revisions = v1alpha1.ApplicationSources{source, source}, "old", []string{"abc"}
		}, Row{Sources: []Source{{RepoURL: "https://a", Path: "web", Target: "main", Revision: "abc"}, {RepoURL: "https://a", Path: "web", Target: "main"}}}},
		"Deployed": {"the last entry of the history counts; several sources have several revisions", func(a *v1alpha1.Application) {
			a.Status.History = v1alpha1.RevisionHistories{{DeployedAt: at, Revision: "old"}, {DeployedAt: at, Revision: "x", Revisions: []string{"a", "b"}, InitiatedBy: v1alpha1.OperationInitiator{Automated: true}}}
		}, Row{Deployed: []string{"a", "b"}, Synced: at.Time}},
		"Deployed by": {"who asked is as anybody may have written it", func(a *v1alpha1.Application) {
			a.Status.History = v1alpha1.RevisionHistories{{DeployedAt: at, Revision: "a", InitiatedBy: v1alpha1.OperationInitiator{Username: "mina"}}}
		}, Row{Deployed: []string{"a"}, Synced: at.Time, By: "mina (unverified)"}},
		"Owned": {"a set is told apart from other owners", func(a *v1alpha1.Application) {
			a.OwnerReferences = []metav1.OwnerReference{{Kind: "ConfigMap", Name: "other"}, {Kind: v1alpha1.ApplicationSetKind, Name: "webs"}}
		}, Row{Set: "webs"}},
		"Operation": {"what it is in, or ended in, and when it was looked at", func(a *v1alpha1.Application) {
			a.Status.OperationState, a.Status.ReconciledAt = &v1alpha1.OperationState{Phase: "Running"}, &at
			a.Spec.SyncPolicy = &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{}}
		}, Row{Operation: "Running", Changed: at.Time, Automated: true}},
	} {
		t.Run(name, func(t *testing.T) {
			want := tc.want
			want.Project, want.Cluster, want.Sync = "default", "prod", "Unknown"
			if want.Health == "" {
				want.Health = "Unknown"
			}
			if diff := cmp.Diff(&want, shown(tc.change), cmpopts.IgnoreUnexported(Row{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// Where its project does not permit the destination it is on no cluster, whatever it says.
func TestWhereARowIs(t *testing.T) {
	r := shown(func(a *v1alpha1.Application) { a.Namespace, a.Name, a.Spec.Project = "team", "web", "shop" })
	if r.On() != "prod" || r.Granted() != (Granted{Key{"team", "web"}, "shop"}) {
		t.Errorf("it is on %q, as %+v", r.On(), r.Granted())
	}
	if r.Nowhere = true; r.On() != "" || r.Cluster != "prod" {
		t.Errorf("it is on %q, and says %q", r.On(), r.Cluster)
	}
}

// What is told of many changes takes up about what their rows do; of one that is gone its
// name alone.
func TestWeightsOfDeltas(t *testing.T) {
	i := NewIndex(began)
	before := i.Now().Version
	i.Put(RowOf(long(1), "prod"))
	d, _ := i.Since(before, everybody)
	if d.Weight() < 100<<10 || d.Weight() != i.Get(Key{"team-a", "one"}).Weight() {
		t.Errorf("a row of 100 KiB weighs %d", d.Weight())
	}
	before = i.Now().Version
	i.Drop(Key{"team-a", "one"})
	if d, _ := i.Since(before, everybody); d.Weight() < int64(len("team-aone")) || d.Weight() > 100 {
		t.Errorf("a name weighs %d", d.Weight())
	}
}
