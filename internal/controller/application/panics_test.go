package application

import (
	"context"
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// faulty panics whatever it is asked, as an engine with a fault does at some objects.
type faulty struct{ Applier }

func (faulty) Confirm(context.Context, apply.Cluster, gitops.Action) (gitops.Action, error) {
	panic("a fault")
}

func (faulty) Predict(context.Context, apply.Cluster, gitops.Action) (live, predicted *unstructured.Unstructured, err error) {
	panic("a fault")
}

// faultyCluster panics when an object is read.
type faultyCluster struct{ described }

func (faultyCluster) Get(context.Context, schema.GroupVersionKind, string, string) (*unstructured.Unstructured, error) {
	panic("a fault")
}

// TestPanicIsAnError has what a reconcile does side by side meet a fault of the
// engine: the reconcile ends with an error, and the process goes on.
func TestPanicIsAnError(t *testing.T) {
	key := gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}
	forced := gitops.Options{Force: true}
	for name, tc := range map[string]struct {
		reason  string
		actions []gitops.Action
		do      func(*Reconciler, *state.Target, *gitops.Plan) error
	}{
		"Foresee": {
			"what Force=true would delete", []gitops.Action{{Verb: gitops.Update, Key: key, Live: &gitops.Live{Key: key}, Options: forced}},
			func(r *Reconciler, t *state.Target, p *gitops.Plan) error {
				return r.foresee(context.Background(), t, p)
			},
		},
		"Confirm": {
			"what differs", []gitops.Action{{Verb: gitops.Update, Key: key, Live: &gitops.Live{Key: key}, Suspect: true}},
			func(r *Reconciler, t *state.Target, p *gitops.Plan) error {
				return r.confirm(context.Background(), t, p)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, on := &Reconciler{Options: Options{Apply: faulty{}}}, faultyTarget()
			var broke *crew.Panic
			if err := tc.do(r, on, &gitops.Plan{Waves: []gitops.Wave{{Actions: tc.actions}}}); !errors.As(err, &broke) {
				t.Errorf("%s: got %v, want the panic as an error", tc.reason, err)
			}
		})
	}
}

func faultyTarget() *state.Target {
	project := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{Destinations: []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}}}}
	return &state.Target{Subject: state.Subject{App: &v1alpha1.Application{}, Project: project, Cluster: faultyCluster{}}}
}

// TestPanicOfARehearsal is what becomes of an object, and no answer that all is well.
func TestPanicOfARehearsal(t *testing.T) {
	key := gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}
	r := &Reconciler{Options: Options{Apply: faulty{}}}
	a := gitops.Action{Verb: gitops.Update, Key: key, Live: &gitops.Live{Key: key}, Desired: &gitops.Manifest{Object: &unstructured.Unstructured{Object: map[string]any{"kind": "ConfigMap"}}}}
	if got := r.rehearsal(t.Context(), &state.Target{}, &a, &gitops.Wave{Phase: gitops.Sync}); got.Status != v1alpha1.ResultCodeSyncFailed || got.Message == "" {
		t.Errorf("the object's result is %+v", got)
	}
}
