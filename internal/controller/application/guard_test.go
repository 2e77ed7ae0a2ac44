package application

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/massdeletion"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
	"github.com/causeway-gitops/causeway/internal/report"
)

// announced are the events of an outcome.
type announced []string

func (a *announced) Event(_ client.Object, _, reason, message string) {
	*a = append(*a, reason+": "+message)
}

// TestApprovedByWhom is told when an approval is used up, which takes it away.
func TestApprovedByWhom(t *testing.T) {
	list := guard.List{{Name: "v1/ConfigMap:shop/a", Weight: 1}, {Name: "v1/ConfigMap:shop/b", Weight: 1}}
	for name, c := range map[string]struct {
		reason, by, want string
	}{
		"named":   {"a name that anybody may have written", "ann", "by ann (unverified)"},
		"unnamed": {"an approval need not say whose it is", "", "by somebody who is not named"},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Annotations = map[string]string{gitops.AnnotationDeletionApproval: guard.Approval{Digest: list.Digest(), Until: at.Add(time.Hour), By: c.by}.String()}
			app.Status.OperationState = &v1alpha1.OperationState{}
			r := &Reconciler{
				Options:  Options{Guard: &massdeletion.Guard{Ledger: guard.NewLedger()}, Now: func() time.Time { return at }},
				attempts: state.NewAttempts(),
			}
			released := ""
			r.Guard.Ledger.Hold(v1alpha1.ApplicationKind, client.ObjectKeyFromObject(app).String(), 2)
			r.Guard.Ledger.Watch(func(_, _ string, _ int, approved string) { released += approved })
			events := &announced{}
			out := report.New("Application", nil, events, nil, report.NewMetrics(prometheus.NewRegistry()), slog.New(slog.DiscardHandler)).Begin(t.Context(), app)
			out.Hold(time.Second) // what is told matters, not what is written
			r.clear(out, &state.Target{Subject: state.Subject{App: app, Project: &v1alpha1.AppProject{}, Cluster: hubCluster{}}}, &gitops.Plan{}, list)
			if _, err := out.EndUnchanged(); err != nil {
				t.Fatal(err)
			}
			if want := []string{"DeletionApproved: Deletion of 2 objects was approved " + c.want}; !slices.Equal(*events, want) {
				t.Errorf("%s: the events are %q, want %q", c.reason, *events, want)
			}
			if released != " "+c.want {
				t.Errorf("%s: it is released as approved%s", c.reason, released)
			}
			if got, want := app.Status.OperationState.Message, "deletions approved "+c.want; got != want {
				t.Errorf("%s: the operation says %q, want %q", c.reason, got, want)
			}
			if len(app.Annotations) > 0 {
				t.Errorf("the approval is not used up: %v", app.Annotations)
			}
		})
	}
}

// TestApprovalIsOfOnePlace has an Application lead to another cluster while its sync runs: what was approved there is
// not approved here.
func TestApprovalIsOfOnePlace(t *testing.T) {
	goes := &gitops.Plan{Waves: []gitops.Wave{{Actions: []gitops.Action{{Verb: gitops.Prune, Key: gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}, Live: &gitops.Live{}}}}}}
	app := &v1alpha1.Application{}
	there := &state.Target{Subject: state.Subject{App: app, Project: &v1alpha1.AppProject{}, Cluster: hubCluster{}}}
	app.Status.OperationState = &v1alpha1.OperationState{}
	app.Status.OperationState.Operation.Info = []v1alpha1.Info{{Name: gitops.InfoCleared, Value: guard.Named(massdeletion.DoomedAt(there, goes))}}
	if !admitted(there, &state.Attempt{Plan: goes}) {
		t.Error("what was approved does not go")
	}
	for name, here := range map[string]*state.Target{
		"Cluster":   {Subject: state.Subject{App: app, Project: &v1alpha1.AppProject{}, Cluster: server{address: "https://elsewhere"}}},
		"Namespace": {Subject: state.Subject{App: app.DeepCopy(), Project: &v1alpha1.AppProject{}, Cluster: hubCluster{}}},
	} {
		if name == "Namespace" {
			here.App.Spec.Destination.Namespace = "elsewhere"
		}
		if admitted(here, &state.Attempt{Plan: goes}) {
			t.Errorf("%s: nobody has approved that", name)
		}
	}
}
