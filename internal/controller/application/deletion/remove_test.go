package deletion

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// namespacedOnly is a cluster whose kinds are all in namespaces.
type namespacedOnly struct{ state.Cluster }

func (namespacedOnly) Scope() gitops.Scope {
	return func(string, string) (namespaced, known bool) { return true, true }
}

func (namespacedOnly) Desc() gitops.Cluster {
	return gitops.Cluster{Name: "east", Server: "https://east"}
}

// TestRemovalAsksForWhatIsPermitted has a status that names kinds which the project
// or the settings leave alone: the cluster is not asked for them, and nothing of them goes.
func TestRemovalAsksForWhatIsPermitted(t *testing.T) {
	settings, err := plan.ParseSettings(map[string]string{"resource.exclusions": "- {apiGroups: [''], kinds: [Secret], clusters: ['https://east']}"})
	if err != nil {
		t.Fatal(err)
	}
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "blue", Name: "web"}}
	app.Spec.Destination = v1alpha1.ApplicationDestination{Name: "east", Namespace: "blue"}
	for _, kind := range []string{"ConfigMap", "Secret", "Event"} {
		app.Status.Resources = append(app.Status.Resources, v1alpha1.ResourceStatus{Version: "v1", Kind: kind, Namespace: "blue", Name: "a"})
	}
	app.Status.OperationState = &v1alpha1.OperationState{SyncResult: &v1alpha1.SyncOperationResult{Resources: v1alpha1.ResourceResults{{Version: "v1", Kind: "Lease", Namespace: "blue", Name: "a"}}}}
	project := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{
		Destinations:               []v1alpha1.ApplicationDestination{{Name: "east", Namespace: "blue"}},
		NamespaceResourceWhitelist: []metav1.GroupKind{{Kind: "ConfigMap"}, {Kind: "Secret"}},
	}}
	d := &Removal{Subject: &state.Subject{App: app, Cluster: namespacedOnly{}, Project: project}, settings: settings}
	if diff := cmp.Diff([]schema.GroupVersionKind{{Version: "v1", Kind: "ConfigMap"}}, d.kinds()); diff != "" {
		t.Errorf("what the cluster is asked for (-want +got):\n%s", diff)
	}
	for kind, want := range map[string]bool{"ConfigMap": true, "Secret": false, "Event": false} {
		if got := d.permits(gitops.Key{Kind: kind, Namespace: "blue", Name: "a"}); got != want {
			t.Errorf("%s goes: %v, want %v", kind, got, want)
		}
	}
}
