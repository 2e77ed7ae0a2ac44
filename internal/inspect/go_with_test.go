package inspect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
)

// TestWhatGoesWithACluster is the list that an approval is for: the same one in whatever
// order the Applications come.
func TestWhatGoesWithACluster(t *testing.T) {
	app := func(namespace, name string, change func(*v1alpha1.Application)) v1alpha1.Application {
		a := v1alpha1.Application{}
		a.Namespace, a.Name, a.Spec.Destination.Name = namespace, name, "dev"
		change(&a)
		return a
	}
	as := func(*v1alpha1.Application) {}
	controller, now := true, metav1.Now()
	c := &causeway.Cluster{}
	c.Name, c.Status.Server = "dev", "https://dev"
	for name, tc := range map[string]struct {
		reason string
		all    []v1alpha1.Application
		want   []string
	}{
		"Sorted": {"teams have some of the same name", []v1alpha1.Application{app("team", "web", as), app("argocd", "web", as), app("argocd", "db", as)}, []string{"argocd/db", "argocd/web", "team/web"}},
		"Server": {"a destination may name the address", []v1alpha1.Application{app("argocd", "web", func(a *v1alpha1.Application) {
			a.Spec.Destination = v1alpha1.ApplicationDestination{Server: "https://dev/"}
		})}, []string{"argocd/web"}},
		"Other": {"what goes elsewhere stays", []v1alpha1.Application{app("argocd", "web", func(a *v1alpha1.Application) { a.Spec.Destination.Name = "prod" })}, nil},
		"Set": {"its set deletes it", []v1alpha1.Application{app("argocd", "web", func(a *v1alpha1.Application) {
			a.OwnerReferences = []metav1.OwnerReference{{APIVersion: v1alpha1.Group + "/v1alpha1", Kind: v1alpha1.ApplicationSetKind, Name: "fleet", Controller: &controller}}
		})}, nil},
		"Going": {"what goes already needs no approval", []v1alpha1.Application{app("argocd", "web", func(a *v1alpha1.Application) { a.DeletionTimestamp = &now })}, nil},
	} {
		if diff := cmp.Diff(tc.want, GoWith(c, tc.all)); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", name, tc.reason, diff)
		}
	}
}
