package handover

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// site is a hub with Argo CD, Applications, and an engine that leads while its Deployment
// has replicas, unless it is dead.
type site struct {
	listed

	clients *fake.Clientset
	dead    bool
	// looks is what the engine makes of the Applications when it has begun.
	looks func([]v1alpha1.Application)
	asked []string
	// refused is why an Application cannot be annotated, by its name.
	refused map[string]error
}

// Get reads the record as it was written.
func (s *site) Get(ctx context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	cm, err := s.clients.CoreV1().ConfigMaps(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
	if err == nil {
		cm.DeepCopyInto(into.(*corev1.ConfigMap)) //nolint:forcetypeassert // it is asked for no other
	}
	return err
}

func (s *site) List(ctx context.Context, into client.ObjectList, options ...client.ListOption) error {
	if s.looks != nil && len(s.asked) > 0 {
		s.looks(s.apps)
	}
	return s.listed.List(ctx, into, options...)
}

// Patch annotates an Application, as askAll does.
func (s *site) Patch(_ context.Context, o client.Object, _ client.Patch, _ ...client.PatchOption) error {
	s.asked = append(s.asked, o.GetName())
	for i := range s.apps {
		if a := &s.apps[i]; a.Name == o.GetName() && s.refused[a.Name] == nil {
			a.Annotations = map[string]string{v1alpha1.AnnotationRefresh: string(v1alpha1.RefreshTypeNormal)}
		}
	}
	return s.refused[o.GetName()]
}

// lease is one that an engine which runs has just renewed.
func (s *site) lease(k8stesting.Action) (bool, runtime.Object, error) {
	d, err := s.clients.Tracker().Get(appsv1.SchemeGroupVersion.WithResource("deployments"), "argocd", "causeway")
	if err != nil || s.dead || *d.(*appsv1.Deployment).Spec.Replicas == 0 { //nolint:forcetypeassert // it is asked for no other
		return true, nil, apierrors.NewNotFound(schema.GroupResource{Resource: "leases"}, hub.LeaseName)
	}
	return true, lease("engine-1"), nil
}

// wrote are the writes to the hub, in order, with the stage of each record.
func (s *site) wrote() (out []string) {
	for _, a := range s.clients.Actions() {
		switch a := a.(type) {
		case k8stesting.PatchAction:
			out = append(out, "scale "+a.GetName())
		case k8stesting.CreateAction: // an update is one, too
			if cm, ok := a.GetObject().(*corev1.ConfigMap); ok && (a.GetVerb() == "update" || len(out) == 0) {
				out = append(out, cm.Data["stage"])
			}
		}
	}
	return out
}

// application is one that is as good as it says.
func application(name string, sync v1alpha1.SyncStatusCode, created time.Time) v1alpha1.Application {
	a := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: name, CreationTimestamp: metav1.NewTime(created)}}
	a.Status.Sync.Status, a.Status.Health.Status = sync, v1alpha1.HealthStatusHealthy
	return a
}

// looked is an engine that has looked, and found everything as it was.
func looked(apps []v1alpha1.Application) {
	for i := range apps {
		apps[i].Annotations = nil
	}
}

// installed is a site with Argo CD at two replicas, and an engine at none.
func installed(objects ...runtime.Object) (t *Takeover, s *site, said *[]string) {
	running := controller(2, "")
	running.Status.ReadyReplicas = 2
	t, said = moved(append(objects, running, engine(0, ""))...)
	s = &site{clients: t.clients.(*fake.Clientset), looks: looked} //nolint:forcetypeassert // moved makes no other
	s.apps = []v1alpha1.Application{application("web", v1alpha1.SyncStatusCodeSynced, time.Now().Add(-time.Hour))}
	s.clients.PrependReactor("get", "leases", s.lease)
	t.reviews(&authorizationv1.SelfSubjectAccessReview{Status: authorizationv1.SubjectAccessReviewStatus{Allowed: true}}, nil)
	t.hub.Client, t.hub.ApplicationNamespaces, t.hub.Now, t.Within = s, []string{}, time.Now, 5*time.Minute
	return t, s, said
}

// stage is what the record says at the end.
func (s *site) stage(t *testing.T) takeover.Stage {
	t.Helper()
	cm, err := s.clients.CoreV1().ConfigMaps("argocd").Get(t.Context(), takeover.RecordName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return takeover.Stage(cm.Data["stage"])
}

// TestTakeover: it is written down before anything stops, Argo CD has stopped before the
// engine starts, and it is over when the engine leads and all is as it was.
func TestTakeover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to, s, said := installed()
		if err := to.Adopt(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"adopting", "scale argocd-application-controller", "scale causeway", "adopted"}, s.wrote()); diff != "" {
			t.Errorf("what was written (-want +got):\n%s", diff)
		}
		want := []string{
			"StatefulSet argocd-application-controller: scaled from 2 to 0", "StatefulSet argocd-application-controller: its Pods are gone",
			"Deployment causeway: scaled to 1", "the engine leads: engine-1", "all of 1 application are as well off as before",
		}
		if diff := cmp.Diff(want, *said); diff != "" {
			t.Errorf("what is said (-want +got):\n%s", diff)
		}
		// Once more: everything is found as it should be.
		if err := to.Adopt(t.Context(), nil); err != nil || s.stage(t) != takeover.Adopted || *to.controllers(t.Context(), t).Spec.Replicas != 0 {
			t.Errorf("to take over again: %v, at %s", err, s.stage(t))
		}
	})
}

// TestTakeoverThatDoesNotComeToItsEnd is taken back: Argo CD has what it had, and who began
// it is told what was waited for.
func TestTakeoverThatDoesNotComeToItsEnd(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		change func(*site)
		says   string
	}{
		"Dead":  {"no engine comes", func(s *site) { s.dead = true }, "cannot take over: not done within 5m0s; the last that was waited for: no engine has renewed Lease"},
		"Blind": {"it does not look", func(s *site) { s.looks = nil }, "the last that was waited for: web: the engine has not looked at it yet"},
		"Worse": {"it finds something else", func(s *site) {
			s.looks = func(apps []v1alpha1.Application) {
				looked(apps)
				apps[0].Status.Sync.Status = v1alpha1.SyncStatusCodeOutOfSync
				apps[0].Status.Conditions = []v1alpha1.ApplicationCondition{{Type: "SharedResourceWarning", Message: "shared"}, {Type: "ComparisonError", Message: "no such chart"}}
			}
		}, "web: OutOfSync/Healthy, was Synced/Healthy: no such chart"},
		"Refused": {"it cannot be asked", func(s *site) {
			s.refused = map[string]error{"web": apierrors.NewForbidden(schema.GroupResource{Resource: "applications"}, "web", errors.New("no right"))}
		}, "cannot ask the engine to look at application web"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				to, s, said := installed()
				tc.change(s)
				err := to.Adopt(t.Context(), nil)
				if err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "could not be taken back") {
					t.Errorf("%s: %v, want %q", tc.reason, err, tc.says)
				}
				c := to.controllers(t.Context(), t)
				if _, kept := c.Annotations[takeover.AnnotationReplicas]; *c.Spec.Replicas != 2 || kept || s.stage(t) != takeover.Reverted {
					t.Errorf("%s: Argo CD is at %d, with %v, and the record at %s", tc.reason, *c.Spec.Replicas, c.Annotations, s.stage(t))
				}
				if text := strings.Join(*said, "\n"); !strings.Contains(text, "it did not work out, and is taken back: ") || !strings.Contains(text, "Deployment causeway: scaled from 1 to 0") {
					t.Errorf("%s: it says %s", tc.reason, text)
				}
			})
		})
	}
}

// TestTakeoverThatCannotBeTakenBack says both, and how to finish it.
func TestTakeoverThatCannotBeTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to, s, _ := installed()
		s.dead = true
		s.clients.PrependReactor("patch", "deployments", func(a k8stesting.Action) (bool, runtime.Object, error) {
			if strings.Contains(string(a.(k8stesting.PatchAction).GetPatch()), `"replicas":0`) { //nolint:forcetypeassert // of a patch
				return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "deployments"}, "causeway", errors.New("no right"))
			}
			return false, nil, nil
		})
		err := to.Adopt(t.Context(), nil)
		if err == nil || !strings.Contains(err.Error(), "cannot take over: ") || !strings.Contains(err.Error(), "and it could not be taken back: ") || !strings.Contains(err.Error(), "finish that with: causeway import argocd --revert") {
			t.Errorf("got %v", err)
		}
		if s.stage(t) != takeover.Reverting {
			t.Errorf("the record is at %s", s.stage(t))
		}
	})
}

// TestTakeoverThatIsCutOff stays as it is for whoever goes on with it, who holds the
// Applications against what they were before it, and not against what they are by now.
func TestTakeoverThatIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to, s, said := installed()
		s.dead = true
		s.apps[0].Status.Sync.Status = v1alpha1.SyncStatusCodeOutOfSync
		before := []takeover.Comparison{takeover.Begin(&s.apps[0], "argocd")}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("interrupted"))
		defer cancel()
		err := to.Adopt(ctx, before)
		if err == nil || !strings.Contains(err.Error(), "interrupted") || s.stage(t) != takeover.Adopting || strings.Contains(strings.Join(*said, "\n"), "is taken back") {
			t.Errorf("it ended with %v at %s, and says %q", err, s.stage(t), *said)
		}
		if n := *to.controllers(t.Context(), t).Spec.Replicas; n != 0 {
			t.Errorf("Argo CD is at %d", n)
		}
		s.dead = false
		if err := to.Adopt(t.Context(), nil); err != nil || s.stage(t) != takeover.Adopted {
			t.Errorf("to go on with it: %v, at %s", err, s.stage(t))
		}
	})
}

// TestTakeoverWithoutRights begins nothing: not even the record is there.
func TestTakeoverWithoutRights(t *testing.T) {
	to, s, _ := installed()
	to.reviews(&authorizationv1.SelfSubjectAccessReview{}, nil)
	err := to.Adopt(t.Context(), nil)
	if !gitops.IsProblem(err, gitops.Refused) || !strings.Contains(err.Error(), "patch applications.argoproj.io in namespace argocd") || !strings.Contains(err.Error(), "patch statefulsets.apps argocd-application-controller") {
		t.Errorf("got %v", err)
	}
	for _, a := range s.clients.Actions() {
		if a.GetVerb() != "get" && a.GetVerb() != "list" && a.GetResource().Resource != "selfsubjectaccessreviews" {
			t.Errorf("it was written: %s %s", a.GetVerb(), a.GetResource().Resource)
		}
	}
}

// TestApplicationsThatArrive: those that were there before are asked to be looked at, and
// waited for; how many are left is said when it changes.
func TestApplicationsThatArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to, s, said := installed()
		begun := time.Now().Truncate(time.Second)
		gone := metav1.NewTime(begun)
		skipped, deleted := application("skipped", "OutOfSync", begun), application("deleted", "OutOfSync", begun)
		skipped.Annotations, deleted.DeletionTimestamp = map[string]string{v1alpha1.AnnotationSkipReconcile: "true"}, &gone
		s.apps = []v1alpha1.Application{
			application("one", "Synced", begun), application("two", "OutOfSync", begun), application("vanished", "Synced", begun),
			application("newer", "OutOfSync", begun.Add(time.Minute)), skipped, deleted,
		}
		s.refused = map[string]error{"vanished": apierrors.NewNotFound(schema.GroupResource{Resource: "applications"}, "vanished")}
		looks := 0
		s.looks = func(apps []v1alpha1.Application) {
			switch looks++; looks { // each look lists three kinds
			case 4:
				apps[0].Annotations = nil
			case 10: // after a look at which nothing has changed
				apps[1].Annotations = nil
			}
		}
		r := &takeover.Record{Stage: takeover.Adopting, Begun: begun, Expected: map[string]takeover.State{"two": {Sync: "OutOfSync", Health: "Healthy"}}}
		if err := to.within(t.Context(), time.Minute, func(ctx context.Context) error { return to.untilArrived(ctx, r) }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"one", "two", "vanished"}, s.asked); diff != "" {
			t.Errorf("who was asked for (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"4 of 6 applications are as before", "5 of 6 applications are as before", "all of 6 applications are as well off as before"}, *said); diff != "" {
			t.Errorf("what is said (-want +got):\n%s", diff)
		}
	})
}

// TestManyThatAreMissing: the first of them are named, and the others counted.
func TestManyThatAreMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to, s, _ := installed()
		s.apps, s.looks = nil, nil
		for i := range 9 {
			s.apps = append(s.apps, application(fmt.Sprintf("app-%d", i), "Synced", time.Now().Add(-time.Hour)))
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("too long"))
		defer cancel()
		err := to.untilArrived(ctx, &takeover.Record{Stage: takeover.Adopting, Begun: time.Now()})
		if err == nil || !strings.Contains(err.Error(), "too long; the last that was waited for: app-0: the engine has not looked") || !strings.Contains(err.Error(), "app-4:") || strings.Contains(err.Error(), "app-6:") || !strings.Contains(err.Error(), "more") {
			t.Errorf("got %v", err)
		}
	})
}
