package route

import (
	"context"
	"errors"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/bulkhead"
)

// stored is a cache of one Application or set.
type stored struct {
	client.Reader

	server string
	err    error
}

func (s stored) Get(_ context.Context, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	switch o := o.(type) {
	case *v1alpha1.Application:
		o.Spec.Project, o.Spec.Destination.Server = "shop", s.server
	case *v1alpha1.ApplicationSet:
		o.Spec.Template.Spec.Project = "shop"
	}
	return s.err
}

// TestOwnersOfWork: workers are shared among projects and clusters.
func TestOwnersOfWork(t *testing.T) {
	for name, tc := range map[string]struct {
		reason             string
		hub                stored
		app, set           bulkhead.Owner
		appThere, setThere bool
	}{
		"There":   {"both are the project's, and the Application is of its cluster", stored{server: "https://own"}, bulkhead.Owner{Project: "shop", Cluster: "https://own"}, bulkhead.Owner{Project: "shop"}, true, true},
		"Nowhere": {"one that leads nowhere has to say so, and holds up no cluster", stored{}, bulkhead.Owner{Project: "shop"}, bulkhead.Owner{Project: "shop"}, true, true},
		"Gone":    {"what is not there is nobody's", stored{server: "https://own", err: errors.New("gone")}, bulkhead.Owner{}, bulkhead.Owner{}, false, false},
	} {
		r := New(Options{Reader: tc.hub, Destination: byServer})
		if got, ok := r.Owner(t.Context(), named("web")); got != tc.app || ok != tc.appThere {
			t.Errorf("%s: %s: the Application is of %+v, %t", name, tc.reason, got, ok)
		}
		if got, ok := r.OwnerOfSet(t.Context(), named("web")); got != tc.set || ok != tc.setThere {
			t.Errorf("%s: %s: the set is of %+v, %t", name, tc.reason, got, ok)
		}
	}
}
