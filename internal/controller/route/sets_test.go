package route

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
)

// TestWhatHasASetExpanded is a change of what it writes, and none of what anybody
// may ask for who reads.
func TestWhatHasASetExpanded(t *testing.T) {
	for name, c := range map[string]struct {
		reason string
		change func(*v1alpha1.Application)
		want   bool
	}{
		"nothing":    {"nothing changed", func(*v1alpha1.Application) {}, false},
		"refresh":    {"somebody asks for another look", func(a *v1alpha1.Application) { a.Annotations[v1alpha1.AnnotationRefresh] = "normal" }, false},
		"none left":  {"the other one was taken away", func(a *v1alpha1.Application) { a.Annotations = nil }, true},
		"annotation": {"a set writes others", func(a *v1alpha1.Application) { a.Annotations["a"] = "c" }, true},
		"label":      {"and labels", func(a *v1alpha1.Application) { a.Labels = map[string]string{"a": "b"} }, true},
		"both": {"asking hides no change", func(a *v1alpha1.Application) {
			a.Annotations[v1alpha1.AnnotationRefresh], a.Spec.Project = "hard", "other"
		}, true},
		"outline": {"it is too much to be kept", func(a *v1alpha1.Application) { a.Outlined = "too large" }, true},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Annotations = map[string]string{"a": "b"}
			now := app.DeepCopy()
			c.change(now)
			if there, back := writtenOtherwise(app, now), writtenOtherwise(now, app); there != c.want || back != c.want {
				t.Errorf("%s: %t, and back %t", c.reason, there, back)
			}
		})
	}
}

// TestWhatWakesTheSetOfAnApplication: what a set writes is put right at once, and what it
// shows in a while.
func TestWhatWakesTheSetOfAnApplication(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*v1alpha1.Application)
		want   map[string]time.Duration
	}{
		"Nothing":  {"nothing changed", func(*v1alpha1.Application) {}, nil},
		"Edited":   {"somebody edited what the set writes", func(a *v1alpha1.Application) { a.Labels = map[string]string{"a": "b"} }, map[string]time.Duration{"argocd/fleet": 0}},
		"Synced":   {"its state is shown by the set", func(a *v1alpha1.Application) { a.Status.Sync.Status = v1alpha1.SyncStatusCodeOutOfSync }, map[string]time.Duration{"argocd/fleet": setPause}},
		"Unknown":  {"its cluster may be gone", func(a *v1alpha1.Application) { a.Status.Sync.Status = v1alpha1.SyncStatusCodeUnknown }, map[string]time.Duration{"argocd/fleet": setPause}},
		"Degraded": {"so is its health", func(a *v1alpha1.Application) { a.Status.Health.Status = v1alpha1.HealthStatusDegraded }, map[string]time.Duration{"argocd/fleet": setPause}},
		"Started": {"that a sync runs is nothing that a set without steps shows", func(a *v1alpha1.Application) {
			a.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning}
		}, nil},
		"LetGo": {"the set that had it writes it again, and one that wanted it may have it", func(a *v1alpha1.Application) { a.OwnerReferences = nil }, map[string]time.Duration{"argocd/fleet": 0}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r, q := ofSets(t)
			app := appOfSet("argocd")
			now := app.DeepCopy()
			tc.change(now)
			r.OfSets().Update(t.Context(), event.UpdateEvent{ObjectOld: app, ObjectNew: now}, nil)
			if diff := cmp.Diff(tc.want, q.pauses, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestApplicationsOfSetsThatComeAndGo wake their set, if it is of the control namespace.
func TestApplicationsOfSetsThatComeAndGo(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, namespace string
		owned             bool
		there, gone       map[string]time.Duration
	}{
		"Own":       {"an expansion did not see that it came, and one makes it again", "argocd", true, map[string]time.Duration{"argocd/fleet": setPause}, map[string]time.Duration{"argocd/fleet": 0}},
		"Alone":     {"it is of no set", "argocd", false, nil, nil},
		"Elsewhere": {"there are sets in the control namespace alone", "team", true, nil, nil},
	} {
		app := appOfSet(tc.namespace)
		if !tc.owned {
			app.OwnerReferences = nil
		}
		r, q := ofSets(t)
		r.OfSets().Create(t.Context(), event.CreateEvent{Object: app}, nil)
		if diff := cmp.Diff(tc.there, q.pauses, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s: it came (-want +got):\n%s", name, tc.reason, diff)
		}
		r, q = ofSets(t)
		r.OfSets().Delete(t.Context(), event.DeleteEvent{Object: app}, nil)
		if diff := cmp.Diff(tc.gone, q.pauses, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s: it went (-want +got):\n%s", name, tc.reason, diff)
		}
	}
}

// ofSets is a Router whose sets are woken into a queue.
func ofSets(t *testing.T) (*Router, *rung) {
	t.Helper()
	r := New(Options{Namespace: "argocd", Readers: applicationset.NewReaders(), Rollouts: applicationset.NewRollouts()})
	q := &rung{pauses: map[string]time.Duration{}}
	if err := r.Sets.Source().Start(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	return r, q
}

// appOfSet is an Application of the set fleet.
func appOfSet(namespace string) *v1alpha1.Application {
	controller := true
	app := &v1alpha1.Application{}
	app.Namespace, app.Name = namespace, "web"
	app.Status.Sync.Status, app.Status.Health.Status = v1alpha1.SyncStatusCodeSynced, v1alpha1.HealthStatusHealthy
	app.OwnerReferences = []metav1.OwnerReference{{APIVersion: v1alpha1.Group + "/v1alpha1", Kind: v1alpha1.ApplicationSetKind, Name: "fleet", Controller: &controller}}
	return app
}
