package handover

import (
	"context"
	"errors"
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

	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// engine is a Deployment of the chart.
func engine(replicas int32, remembered string) *appsv1.Deployment {
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "causeway", Labels: map[string]string{"app.kubernetes.io/name": "causeway"}},
		Spec:       appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "causeway"}}},
	}
	if remembered != "" {
		d.Annotations = map[string]string{takeover.AnnotationReplicas: remembered}
	}
	return d
}

// recordOnly is a hub of which nothing but the record of a takeover is read.
type recordOnly struct {
	client.Client

	data map[string]string
}

func (r recordOnly) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if r.data == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, key.Name)
	}
	into.(*corev1.ConfigMap).Data = r.data //nolint:forcetypeassert // it is asked for no other
	return nil
}

// TestEngineThatIsToCome: a takeover begins with an engine that is there, or that can be installed.
func TestEngineThatIsToCome(t *testing.T) {
	cases := map[string]struct {
		reason  string
		objects []runtime.Object
		options Options
		says    string
		err     []string
	}{
		"There":    {"it is there", []runtime.Object{engine(0, "")}, Options{}, "", nil},
		"Taken":    {"one that is there is not installed again", []runtime.Object{engine(0, "")}, Options{Install: &bootstrap.Engine{}}, "the engine is installed already and is taken as it is", nil},
		"External": {"somebody else starts it", nil, Options{External: true}, "", nil},
		"Missing":  {"nobody has installed it", nil, Options{}, "", []string{"the engine is not installed in namespace argocd; nothing was changed", "--install", "helm install causeway", "--set replicas=0"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			to, said := moved(tc.objects...)
			tc.options.Say = to.Say
			to.Options = tc.options
			err := to.prepareEngine(t.Context())
			if (err == nil) != (tc.err == nil) || strings.Join(*said, "\n") != tc.says || err != nil && !gitops.IsProblem(err, gitops.NotReady) {
				t.Errorf("%s: it says %q: %v", tc.reason, *said, err)
			}
			for _, want := range tc.err {
				if err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("%s: got %v; want %q", tc.reason, err, want)
				}
			}
		})
	}
}

// TestEngineIsStarted at what it was at, and at one where nobody knows; one that runs is left alone.
func TestEngineIsStarted(t *testing.T) {
	cases := map[string]struct {
		reason     string
		replicas   int32
		remembered string
		want       int32
		says       string
	}{
		"New":        {"a chart with no replica yet", 0, "", 1, "Deployment causeway: scaled to 1"},
		"Remembered": {"one that was handed back before", 0, "3", 3, "Deployment causeway: scaled to 3"},
		"Zero":       {"it has to run", 0, "0", 1, "Deployment causeway: scaled to 1"},
		"Running":    {"it runs", 2, "3", 2, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			to, said := moved(engine(tc.replicas, tc.remembered))
			if err := to.startEngine(t.Context()); err != nil {
				t.Fatal(err)
			}
			d, err := to.clients.AppsV1().Deployments("argocd").Get(t.Context(), "causeway", metav1.GetOptions{})
			if err != nil || *d.Spec.Replicas != tc.want || strings.Join(*said, "\n") != tc.says {
				t.Errorf("%s: it is at %d, and says %q: %v", tc.reason, *d.Spec.Replicas, *said, err)
			}
			if _, kept := d.Annotations[takeover.AnnotationReplicas]; kept && tc.says != "" {
				t.Errorf("%s: it remembers %v", tc.reason, d.Annotations)
			}
		})
	}
	to, said := moved()
	if to.External = true; to.startEngine(t.Context()) != nil || !strings.Contains(strings.Join(*said, "\n"), "start it now, with --leader-elect, in namespace argocd") {
		t.Errorf("where that is somebody else's matter: %q", *said)
	}
}

// TestScalesThatMeetAnother: somebody wrote in between, and it is looked at again; what is refused is told.
func TestScalesThatMeetAnother(t *testing.T) {
	deployments := schema.GroupResource{Group: "apps", Resource: "deployments"}
	cases := map[string]struct {
		reason string
		err    error
		says   string
	}{
		"Conflict": {"the next look writes it", apierrors.NewConflict(deployments, "causeway", errors.New("other")), ""},
		"Refused":  {"no next one would", apierrors.NewForbidden(deployments, "causeway", errors.New("no right")), "cannot scale Deployment causeway"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				to, _ := moved(engine(0, "2"))
				failed := false
				to.clients.(*fake.Clientset).PrependReactor("patch", "deployments", func(k8stesting.Action) (bool, runtime.Object, error) { //nolint:forcetypeassert // moved makes no other
					if failed {
						return false, nil, nil
					}
					failed = true
					return true, nil, tc.err
				})
				err := to.startEngine(t.Context())
				if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
					t.Errorf("%s: %v", tc.reason, err)
				}
			})
		})
	}
}

// TestEngineIsStopped with its Pods and its lease, also one that is not this command's to stop.
func TestEngineIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to, said := moved(engine(2, ""))
		if err := to.stopEngine(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := []string{"Deployment causeway: scaled from 2 to 0", "Deployment causeway: its Pods are gone", "the engine has ended"}
		if diff := cmp.Diff(want, *said); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		to, said = moved(engine(2, ""), lease("engine-1"))
		to.External = true
		began := time.Now()
		if err := to.stopEngine(t.Context()); err != nil || time.Since(began) < 15*time.Second {
			t.Errorf("it ended after %s: %v", time.Since(began), err)
		}
		if diff := cmp.Diff([]string{"waiting until the engine has ended: stop it now where it runs in namespace argocd", "the engine has ended"}, *said); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// TestLeasesThatSayLittle: one without a time lasts as long as leases do, and one that was given back is nobody's.
func TestLeasesThatSayLittle(t *testing.T) {
	bare, given := lease("engine-1"), lease("")
	bare.Spec.LeaseDurationSeconds, bare.Spec.RenewTime = nil, nil
	for name, tc := range map[string]struct {
		reason string
		object runtime.Object
		want   lead
	}{
		"Bare":  {"who leads is told alone", bare, lead{holder: "engine-1", lasts: leaseSeconds * time.Second}},
		"Given": {"nobody leads", given, lead{renewed: given.Spec.RenewTime.Time, lasts: 15 * time.Second}},
		"None":  {"no engine ever ran", engine(0, ""), lead{}},
	} {
		to, _ := moved(tc.object)
		if got, err := to.leader(t.Context()); err != nil || got != tc.want {
			t.Errorf("%s: %s: got %+v, %v", name, tc.reason, got, err)
		}
	}
}

// TestRightsToMove: all that a takeover writes, and each workload by its name, so that no right on others is needed.
func TestRightsToMove(t *testing.T) {
	to, _ := moved(engine(1, ""), controller(1, ""))
	texts := func() (out []string) {
		all, err := to.moving(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			out = append(out, r.String())
		}
		return out
	}
	common := []string{
		"create configmaps in namespace argocd", "update configmaps causeway-takeover in namespace argocd", "list pods in namespace argocd", "get leases.coordination.k8s.io " + hub.LeaseName + " in namespace argocd",
		"get statefulsets.apps argocd-application-controller in namespace argocd", "patch statefulsets.apps argocd-application-controller in namespace argocd",
	}
	own := []string{"get deployments.apps causeway in namespace argocd", "patch deployments.apps causeway in namespace argocd"}
	got := texts()
	if diff := cmp.Diff(append(common[:6:6], own...), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	to.External = true
	if got := texts(); len(got) != len(common) {
		t.Errorf("an engine that is somebody else's takes %v", got)
	}
}

// TestWhatAnEarlierTakeoverLeft is told with why nothing is begun, and how to go back.
func TestWhatAnEarlierTakeoverLeft(t *testing.T) {
	why := errors.New("no right")
	for name, tc := range map[string]struct {
		reason string
		stage  takeover.Stage
		want   string
	}{
		"None":      {"none was before", takeover.None, "no right"},
		"Reverted":  {"nor is anything left of one", takeover.Reverted, "no right"},
		"Adopting":  {"one that was cut off", takeover.Adopting, "a takeover was cut off, statefulset/argocd-application-controller is at 0 replicas; this time: no right; to hand back: causeway import argocd --revert"},
		"Adopted":   {"one that came to its end", takeover.Adopted, "the engine has taken over, statefulset/argocd-application-controller is at 0 replicas; this time: no right"},
		"Reverting": {"one that is on its way back", takeover.Reverting, "a takeover is half taken back, "},
	} {
		to, _ := moved(controller(0, "1"))
		if err := to.leaves(t.Context(), tc.stage, why); !errors.Is(err, why) || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s: %s: got %v; want %q", name, tc.reason, err, tc.want)
		}
	}
}

// TestTakeoversThatDoNotBegin: one that goes back is not begun anew, and where nothing was taken over nothing is handed
// back.
func TestTakeoversThatDoNotBegin(t *testing.T) {
	to, said := moved()
	to.Within = time.Minute
	to.hub.Client = recordOnly{data: map[string]string{"stage": "reverting", "begun": "2026-05-01T12:00:00Z", "applications": "{}"}}
	if err := to.Adopt(t.Context(), nil); !gitops.IsProblem(err, gitops.NotReady) || !strings.Contains(err.Error(), "finish that first: causeway import argocd --revert") {
		t.Errorf("got %v", err)
	}
	for reason, data := range map[string]map[string]string{"nothing was begun": nil, "it was handed back": {"stage": "reverted", "begun": "2026-05-01T12:00:00Z", "applications": "{}"}} {
		*said = nil
		to.hub.Client = recordOnly{data: data}
		if err := to.Revert(t.Context()); err != nil || strings.Join(*said, "\n") != "nothing is taken over, so nothing is handed back" {
			t.Errorf("%s: it says %q: %v", reason, *said, err)
		}
	}
	to.hub.Client = recordOnly{data: map[string]string{"stage": "adopting"}}
	for what, do := range map[string]func(context.Context) error{"hand back": to.Revert, "take over": func(ctx context.Context) error { return to.Adopt(ctx, nil) }} {
		if err := do(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot read ConfigMap "+takeover.RecordName) {
			t.Errorf("to %s with a record that is broken: %v", what, err)
		}
	}
}

// reviews is what the API server answers to whether something may be done.
func (t *Takeover) reviews(review *authorizationv1.SelfSubjectAccessReview, err error) {
	t.clients.(*fake.Clientset).PrependReactor("create", "selfsubjectaccessreviews", func(k8stesting.Action) (bool, runtime.Object, error) { //nolint:forcetypeassert // moved makes no other
		return true, review, err
	})
}

// TestHandingBack goes on where nobody tells which rights there are, starts what it had stopped, and writes down that
// it is done.
func TestHandingBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := controller(0, "2")
		stopped.Status.ReadyReplicas = 2
		to, said := moved(stopped, engine(1, ""))
		to.Within = time.Hour
		to.hub.Client = recordOnly{data: map[string]string{"stage": "adopted", "begun": "2026-05-01T12:00:00Z", "applications": "{}"}}
		to.reviews(nil, errors.New("no answer"))
		if err := to.Revert(t.Context()); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(*said, "\n"); !strings.Contains(text, "warning: cannot ask whether you may") || !strings.Contains(text, "StatefulSet argocd-application-controller: scaled to 2") {
			t.Errorf("it says %s", text)
		}
		cm, err := to.clients.CoreV1().ConfigMaps("argocd").Get(t.Context(), takeover.RecordName, metav1.GetOptions{})
		if err != nil || cm.Data["stage"] != "reverted" || *to.controllers(t.Context(), t).Spec.Replicas != 2 {
			t.Errorf("the record is %v, %v", cm, err)
		}
		d, err := to.clients.AppsV1().Deployments("argocd").Get(t.Context(), "causeway", metav1.GetOptions{})
		if err != nil || *d.Spec.Replicas != 0 {
			t.Errorf("the engine is at %d, %v", *d.Spec.Replicas, err)
		}
	})
}

// TestHandingBackWithoutRights is refused before anything is written, with the way back.
func TestHandingBackWithoutRights(t *testing.T) {
	to, _ := moved(controller(0, "2"), engine(1, ""))
	to.Within = time.Minute
	to.hub.Client = recordOnly{data: map[string]string{"stage": "adopted", "begun": "2026-05-01T12:00:00Z", "applications": "{}"}}
	to.reviews(&authorizationv1.SelfSubjectAccessReview{}, nil)
	err := to.Revert(t.Context())
	var untold *install.UntoldError
	if err == nil || errors.As(err, &untold) || !strings.Contains(err.Error(), "these rights are missing: create configmaps in namespace argocd; ") || !strings.Contains(err.Error(), "the engine has taken over") {
		t.Errorf("got %v", err)
	}
	if n := *to.controllers(t.Context(), t).Spec.Replicas; n != 0 {
		t.Errorf("it was scaled to %d all the same", n)
	}
}

// TestWorkloadsWithoutReplicas: one that does not say has one.
func TestWorkloadsWithoutReplicas(t *testing.T) {
	d := engine(0, "")
	d.Spec.Replicas = nil
	to, said := moved(d)
	if err := to.stop(t.Context(), "Deployment", "causeway"); err != nil || (*said)[0] != "Deployment causeway: scaled from 1 to 0" {
		t.Errorf("it says %q: %v", *said, err)
	}
	if err := to.start(t.Context(), "Deployment", "nope"); err == nil || !strings.Contains(err.Error(), "cannot read Deployment nope") {
		t.Errorf("one that is not there: %v", err)
	}
}
