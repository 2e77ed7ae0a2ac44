package dependency

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// controlSets is a cache with ApplicationSets of the control namespace alone.
type controlSets struct{ Apps }

func (controlSets) Set(_ context.Context, namespace, name string) (*v1alpha1.ApplicationSet, error) {
	if namespace != "argocd" {
		return nil, errors.New("unable to get: " + namespace + "/" + name + " because of unknown namespace for the cache")
	}
	return &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{gitops.AnnotationDependsOn: "Secret/tls"}}}, nil
}

// TestSetsElsewhereHoldUpNobody: sets are read in the control namespace alone. An Application elsewhere that says
// one owns it, as it may by what made it before, depends on what it says itself.
func TestSetsElsewhereHoldUpNobody(t *testing.T) {
	yes := true
	c := &Checker{Namespace: "argocd", Apps: controlSets{}}
	for namespace, want := range map[string]int{"argocd": 2, "team": 1} {
		app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: "web", Annotations: map[string]string{gitops.AnnotationDependsOn: "ConfigMap/db"},
			OwnerReferences: []metav1.OwnerReference{{Kind: v1alpha1.ApplicationSetKind, Name: "set", Controller: &yes}},
		}}
		if refs, err := c.Of(t.Context(), app); err != nil || len(refs) != want {
			t.Errorf("in %s it depends on %v, %v", namespace, refs, err)
		}
	}
}
