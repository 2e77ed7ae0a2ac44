package application

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// controlSets is a cache with ApplicationSets of the control namespace alone.
type controlSets struct{ client.Client }

func (controlSets) Get(_ context.Context, name types.NamespacedName, into client.Object, _ ...client.GetOption) error {
	if name.Namespace != "argocd" {
		return errors.New("unable to get: " + name.String() + " because of unknown namespace for the cache")
	}
	into.SetAnnotations(map[string]string{gitops.AnnotationDependsOn: "Secret/tls"})
	return nil
}

// TestSetsElsewhereHoldUpNobody: sets are read in the control namespace alone. An Application elsewhere that says
// one owns it, as it may by what made it before, depends on what it says itself.
func TestSetsElsewhereHoldUpNobody(t *testing.T) {
	yes := true
	r := &Reconciler{Options: Options{Namespace: "argocd", Apps: NewApps(controlSets{})}}
	for namespace, want := range map[string]int{"argocd": 2, "team": 1} {
		app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: "web", Annotations: map[string]string{gitops.AnnotationDependsOn: "ConfigMap/db"},
			OwnerReferences: []metav1.OwnerReference{{Kind: v1alpha1.ApplicationSetKind, Name: "set", Controller: &yes}},
		}}
		if refs, _, err := r.dependencies(t.Context(), app); err != nil || len(refs) != want {
			t.Errorf("in %s it depends on %v, %v", namespace, refs, err)
		}
	}
}
