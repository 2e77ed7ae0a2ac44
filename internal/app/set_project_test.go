package app

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// TestOperationsStayInTheirProject: an Application of one project, which says that a
// set of another one owns it, is the set's from then on, and what it asked for is not
// done by the rights of that project.
func TestOperationsStayInTheirProject(t *testing.T) {
	const one, both = "[{list: {elements: [{name: other}]}}]", "[{list: {elements: [{name: other}, {name: shop}]}}]"
	e := start(t, map[string]string{"app/Chart.yaml": chartYAML, "app/templates/cm.yaml": chartTemplate})
	e.project("red", func(s *v1alpha1.AppProjectSpec) {
		s.Destinations = []v1alpha1.ApplicationDestination{{Server: "https://kubernetes.default.svc", Namespace: "nowhere"}}
	})
	e.project("blue", func(*v1alpha1.AppProjectSpec) {})
	e.setOf("blue", "ofblue", one, "{{name}}", "a")
	e.untilShows("other", "a")
	set := &v1alpha1.ApplicationSet{}
	if err := e.Get(t.Context(), types.NamespacedName{Namespace: e.namespace, Name: "ofblue"}, set); err != nil {
		t.Fatal(err)
	}
	e.app("", "app", in("red"), func(a *v1alpha1.Application) {
		a.Name = e.namespace + "-shop"
		a.Annotations = map[string]string{v1alpha1.AnnotationSkipReconcile: "true"}
		a.OwnerReferences = []metav1.OwnerReference{{APIVersion: "argoproj.io/v1alpha1", Kind: "ApplicationSet", Name: set.Name, UID: set.UID, Controller: new(true)}}
		a.Operation = &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{
			Source: &v1alpha1.ApplicationSource{RepoURL: repoURL, Path: "app", Helm: &v1alpha1.ApplicationSourceHelm{Values: "shows: evil"}},
		}}
		a.Spec.SyncPolicy = nil
	})
	e.generators("ofblue", both)
	embeddedtest.Eventually(t, func(context.Context) error {
		now, err := e.generated("shop")
		if err != nil {
			return err
		}
		if now.Spec.Project != "blue" || now.Operation != nil || now.Status.Sync.Status != v1alpha1.SyncStatusCodeOutOfSync {
			return fmt.Errorf("project %s, operation %v, %s", now.Spec.Project, now.Operation, now.Status.Sync.Status)
		}
		if state := now.Status.OperationState; state != nil {
			t.Fatalf("what was asked for in project red was done in blue: %s", state.Phase)
		}
		return nil
	})
}
