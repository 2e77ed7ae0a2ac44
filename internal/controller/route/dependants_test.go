package route

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/dependency"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/controller/comparisons"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestWhoWaitsForAComparison: the status does not tell of a commit that changes nothing.
func TestWhoWaitsForAComparison(t *testing.T) {
	cases := map[string]struct {
		reason string
		busy   bool
		again  bool
		want   map[string]time.Duration
	}{
		"First":  {reason: "who depends on it learns what it was compared with", want: map[string]time.Duration{"argocd/waits": Together}},
		"Parent": {reason: "so does the sync of its parent, which waits for it", busy: true, want: map[string]time.Duration{"argocd/waits": Together, "argocd/parent": Together}},
		"Same":   {reason: "the same again is told to nobody", again: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := New(Options{Namespace: "argocd", Waits: dependency.NewRegister(), Looks: comparisons.NewBook(), Readers: applicationset.NewReaders(), Rollouts: applicationset.NewRollouts()})
			parent := &v1alpha1.Application{}
			parent.Namespace, parent.Name = "argocd", "parent"
			if tc.busy {
				parent.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning}
			}
			r.Looks.Note(parent, nil)
			app := &v1alpha1.Application{}
			app.Namespace, app.Name = "argocd", "child"
			app.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: "https://git/own"}
			app.Annotations = map[string]string{gitops.AnnotationTracking: "parent:argoproj.io/Application:argocd/child"}
			if tc.again {
				r.Looks.Note(app, []string{"one"})
			}
			r.Waits.Set(named("waits"), []dependency.Object{{Server: gitops.HubServer, Key: hubKey(v1alpha1.ApplicationKind, app)}})
			q := &rung{pauses: map[string]time.Duration{}}
			if err := r.Apps.Start(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			r.Compared(app, []string{"one"})
			if diff := cmp.Diff(tc.want, q.pauses, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWhoWaitsForWhatIsOnTheHub: Applications depend on one another and on sets, by kind.
func TestWhoWaitsForWhatIsOnTheHub(t *testing.T) {
	app, set := &v1alpha1.Application{}, &v1alpha1.ApplicationSet{}
	app.Namespace, app.Name, set.Namespace, set.Name = "argocd", "web", "argocd", "web"
	r := New(Options{Namespace: "argocd", Waits: dependency.NewRegister()})
	r.Waits.Set(named("for-app"), []dependency.Object{{Server: gitops.HubServer, Key: hubKey(v1alpha1.ApplicationKind, app)}})
	r.Waits.Set(named("for-set"), []dependency.Object{{Server: gitops.HubServer, Key: hubKey(v1alpha1.ApplicationSetKind, set)}})
	r.Waits.Set(named("away"), []dependency.Object{{Server: "https://own", Key: gitops.Key{Kind: "Gate", Name: "g"}}})
	q := &rung{pauses: map[string]time.Duration{}}
	if err := r.Apps.Start(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		reason, want string
		news         func()
	}{
		"Created": {"an Application that came", "argocd/for-app", func() { r.OnHub(v1alpha1.ApplicationKind).Create(t.Context(), event.CreateEvent{Object: app}, nil) }},
		"Updated": {"a set that changed", "argocd/for-set", func() {
			r.OnHub(v1alpha1.ApplicationSetKind).Update(t.Context(), event.UpdateEvent{ObjectOld: set, ObjectNew: set}, nil)
		}},
		"Deleted": {"an Application that went", "argocd/for-app", func() { r.OnHub(v1alpha1.ApplicationKind).Delete(t.Context(), event.DeleteEvent{Object: app}, nil) }},
		"Cluster": {"a cluster that does not answer any more", "argocd/away", func() { r.Answers(t.Context(), "https://own", false) }},
	} {
		clear(q.pauses)
		tc.news()
		if _, ok := q.pauses[tc.want]; !ok || len(q.pauses) != 1 {
			t.Errorf("%s: %s wakes %v", name, tc.reason, q.pauses)
		}
	}
}
