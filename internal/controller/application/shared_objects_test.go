package application

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestLetsGo is about which objects are free for others of those that bear an
// application's tracking id.
func TestLetsGo(t *testing.T) {
	key := gitops.Key{Group: "batch", Kind: "Job", Namespace: "shop", Name: "migrate"}
	cases := map[string]struct {
		reason   string
		tracking string
		status   v1alpha1.ResourceStatus
		want     bool
	}{
		"Has":      {"it is in the sources", "blue", v1alpha1.ResourceStatus{}, false},
		"LeftOut":  {"it was taken out of them", "blue", v1alpha1.ResourceStatus{RequiresPruning: true}, true},
		"Hook":     {"what a hook left is the application's, although it is in no state of it", "blue", v1alpha1.ResourceStatus{Hook: true, RequiresPruning: true}, false},
		"Becoming": {"so is what a person is asked about before it becomes a hook", "blue", v1alpha1.ResourceStatus{Hook: true, RequiresPruning: true, RequiresDeletionConfirmation: true}, false},
		"Copy":     {"a hook with an id that is not its own says nothing", "blue", v1alpha1.ResourceStatus{Hook: true}, false},
		"Gone":     {"there is no such application", "green", v1alpha1.ResourceStatus{}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "blue"}}
			tc.status.Group, tc.status.Kind, tc.status.Namespace, tc.status.Name = key.Group, key.Kind, key.Namespace, key.Name
			app.Status.Resources = []v1alpha1.ResourceStatus{tc.status}
			r := &Reconciler{Options: Options{Namespace: "argocd", Apps: NewApps(cached{apps: []v1alpha1.Application{app}})}}
			if got := r.letsGo(t.Context(), tc.tracking, key); got != tc.want {
				t.Errorf("%s: free %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
