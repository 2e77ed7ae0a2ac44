package application

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestHeldStatusComesBackOnce(t *testing.T) {
	named := func(uid types.UID) *v1alpha1.Application {
		return &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "argocd", UID: uid}}
	}
	h := newHeld()
	kept := heldStatus{uid: "1", status: v1alpha1.ApplicationStatus{ControllerNamespace: "argocd"}}
	name := types.NamespacedName{Namespace: "argocd", Name: "web"}

	h.byApp[name] = kept
	app := named("1")
	if h.resume(app); app.Status.ControllerNamespace == "" {
		t.Error("the status that was held back did not come back")
	}
	app = named("1")
	if h.resume(app); app.Status.ControllerNamespace != "" {
		t.Error("it came back twice")
	}
	h.byApp[name] = kept
	app = named("2")
	if h.resume(app); app.Status.ControllerNamespace != "" {
		t.Error("it came back to another application of the same name")
	}
}
