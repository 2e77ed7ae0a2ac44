package state

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
	h := NewPendingStatuses()
	kept := PendingStatus{UID: "1", Project: v1alpha1.DefaultProject, Status: v1alpha1.ApplicationStatus{ControllerNamespace: "argocd"}}
	name := types.NamespacedName{Namespace: "argocd", Name: "web"}

	h.byApp[name] = kept
	app := named("1")
	if h.Resume(app); app.Status.ControllerNamespace == "" {
		t.Error("the status that was held back did not come back")
	}
	app = named("1")
	if h.Resume(app); app.Status.ControllerNamespace != "" {
		t.Error("it came back twice")
	}
	h.byApp[name] = kept
	app = named("2")
	if h.Resume(app); app.Status.ControllerNamespace != "" {
		t.Error("it came back to another application of the same name")
	}
}

func TestStatusThatCouldNotBeWrittenComesBack(t *testing.T) {
	request := &v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Username: "me"}}
	named := func(change ...func(*v1alpha1.Application)) *v1alpha1.Application {
		app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "argocd", UID: "1"}, Operation: request.DeepCopy()}
		for _, c := range change {
			c(app)
		}
		return app
	}
	cases := map[string]struct {
		reason         string
		now            func(*v1alpha1.Application)
		status, pended bool
	}{
		"as it was":       {"nobody else wrote: the operation goes on", func(*v1alpha1.Application) {}, true, false},
		"another request": {"a new request stays, for when the operation is over", func(a *v1alpha1.Application) { a.Operation.InitiatedBy.Username = "you" }, true, true},
		"terminated": {"what others wrote into the status counts", func(a *v1alpha1.Application) {
			a.Status.OperationState = &v1alpha1.OperationState{Phase: "Terminating"}
		}, false, true},
		"moved":       {"what began in one project is not gone on with in another", func(a *v1alpha1.Application) { a.Spec.Project = "blue" }, false, true},
		"another one": {"it has the name of one that is gone", func(a *v1alpha1.Application) { a.UID = "2" }, false, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := NewPendingStatuses()
			done := named(func(a *v1alpha1.Application) {
				a.Operation, a.Status.ControllerNamespace = nil, "argocd"
			})
			h.Keep(named(), done)
			app := named(tc.now)
			h.Resume(app)
			if got := app.Status.ControllerNamespace != ""; got != tc.status {
				t.Errorf("%s: status came back: %v", tc.reason, got)
			}
			if got := app.Operation != nil; got != tc.pended {
				t.Errorf("%s: the request is still there: %v", tc.reason, got)
			}
		})
	}
}
