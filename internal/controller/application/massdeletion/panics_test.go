package massdeletion

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// faulty panics whatever it is asked, as an engine with a fault does at some objects.
type faulty struct{}

func (faulty) Predict(context.Context, apply.Cluster, gitops.Action) (live, predicted *unstructured.Unstructured, err error) {
	panic("a fault")
}

// faultyCluster panics when an object is read.
type faultyCluster struct{ owning }

func (faultyCluster) Get(context.Context, schema.GroupVersionKind, string, string) (*unstructured.Unstructured, error) {
	panic("a fault")
}

// TestPanicIsAnError has what a reconcile does side by side meet a fault of the
// engine: the reconcile ends with an error, and the process goes on.
func TestPanicIsAnError(t *testing.T) {
	key := gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}
	owner := gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "owner"}
	desired := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	desired.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: "1"}})
	wanted := &gitops.Manifest{Object: desired}
	for name, tc := range map[string]struct {
		reason  string
		actions []gitops.Action
		do      func(*Keeper, *state.Target, *gitops.Plan) error
	}{
		"Unowned": {
			"which owners stay",
			[]gitops.Action{{Verb: gitops.Update, Key: key, Live: &gitops.Live{Key: key, UID: "2"}, Desired: wanted}, {Verb: gitops.Keep, Key: owner, Live: &gitops.Live{Key: owner, UID: "1"}}},
			func(r *Keeper, t *state.Target, p *gitops.Plan) error {
				return r.Unowned(context.Background(), t, p)
			},
		},
		"Lineage": {
			"who owns the owners",
			[]gitops.Action{{Verb: gitops.Prune, Key: owner, Live: &gitops.Live{Key: owner, UID: "1"}}, {Verb: gitops.Keep, Key: key, Live: &gitops.Live{Key: key, UID: "2", Owners: []types.UID{"3"}}}},
			func(r *Keeper, t *state.Target, p *gitops.Plan) error {
				_, err := r.lineage(context.Background(), t, p)
				return err
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, on := &Keeper{Apply: faulty{}}, faultyTarget()
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

// TestPanicMovesNothing: what cannot be asked for is a deletion, which the guard counts.
func TestPanicMovesNothing(t *testing.T) {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	from, to := gitops.Key{Kind: "ConfigMap", Namespace: "old", Name: "a"}, gitops.Key{Kind: "ConfigMap", Namespace: "new", Name: "a"}
	p := &gitops.Plan{Waves: []gitops.Wave{{Actions: []gitops.Action{
		{Verb: gitops.Create, Key: to, Desired: &gitops.Manifest{Object: o}}, {Verb: gitops.Prune, Key: from, Live: &gitops.Live{Key: from}},
	}}}}
	list := guard.List{{Name: from.String(), Weight: 1}}
	r := &Keeper{Apply: faulty{}}
	if got := r.withoutMoves(t.Context(), faultyTarget(), p, list); len(got) != 1 {
		t.Errorf("the deletion is not counted: %v", got)
	}
}
