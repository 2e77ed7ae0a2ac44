package install

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestWaitTellsOfTheEngine: which Deployment is not ready, and what its Pods wait for. What is read is the status alone,
// which controllers of a control plane would write over.
func TestWaitTellsOfTheEngine(t *testing.T) {
	rolled := func(observed int64, updated, available int32) *appsv1.Deployment {
		d := deployment("causeway", nil)
		d.Namespace, d.Generation = "argocd", 2
		d.Status = appsv1.DeploymentStatus{ObservedGeneration: observed, UpdatedReplicas: updated, AvailableReplicas: available}
		return d
	}
	stuck := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "stuck", Labels: map[string]string{"app": "causeway"}}}
	stuck.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "no node has room"}}
	stuck.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"}}}}
	other := stuck.DeepCopy()
	other.Name, other.Labels = "other", nil
	cases := map[string]struct {
		reason  string
		objects []runtime.Object
		want    string
		err     string
	}{
		"Ready":   {"it runs what was written last", []runtime.Object{rolled(2, 1, 1), stuck}, "", ""},
		"Unseen":  {"what runs is what was written before", []runtime.Object{rolled(1, 1, 1)}, "Deployment causeway has 1 of 1 replicas ready", ""},
		"Old":     {"so are Pods that were not replaced", []runtime.Object{rolled(2, 0, 1)}, "Deployment causeway has 1 of 1 replicas ready", ""},
		"Waits":   {"nobody says what for", []runtime.Object{rolled(2, 1, 0), other}, "Deployment causeway has 0 of 1 replicas ready", ""},
		"Stuck":   {"its Pods say what for", []runtime.Object{rolled(2, 1, 0), stuck, other}, "Deployment causeway has 0 of 1 replicas ready; stuck waits: ImagePullBackOff no such image; stuck is not scheduled: no node has room", ""},
		"Missing": {"somebody took it away", nil, "", "cannot read Deployment causeway"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := &Bootstrap{Options: Options{Progress: func(string, int, int) {}}, namespace: "argocd", clients: fake.NewClientset(tc.objects...)}
			got, err := b.waking(t.Context(), []string{"causeway"})
			if got != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: got %q, %v; want %q", tc.reason, got, err, tc.want)
			}
		})
	}
}

// TestWaitTellsOfTheRoots: which of them is not as it should be, and why.
func TestWaitTellsOfTheRoots(t *testing.T) {
	s := newSite(t)
	s.options.Within = time.Nanosecond
	if err := Definitions(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	b, err := NewBootstrap(s.options)
	if err != nil {
		t.Fatal(err)
	}
	waits := func(text string) {
		t.Helper()
		if got, err := b.unsettled(t.Context()); err != nil || got != text {
			t.Errorf("it waits for %q, %v; want %q", got, err, text)
		}
	}
	waits("application addons is not made yet")
	s.made(bootstrap.Manager, bootstrap.Root(s.namespace, "addons", "hub"))
	set := &v1alpha1.ApplicationSet{}
	if err := s.get(set, "addons"); err != nil {
		t.Fatal(err)
	}
	set.Status.Conditions = []v1alpha1.ApplicationSetCondition{{Type: v1alpha1.ApplicationSetConditionErrorOccurred, Status: v1alpha1.ApplicationSetConditionStatusTrue, Message: "no such annotation"}}
	if err := s.client.Status().Update(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	waits("application addons is not made yet: no such annotation")

	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "addons"}}
	app.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: fleetURL, Path: "addons"}
	s.made("causeway", app)
	waits("application addons is not compared yet and of unknown health")
	app.Status.Sync.Status, app.Status.Health.Status = v1alpha1.SyncStatusCodeOutOfSync, v1alpha1.HealthStatusProgressing
	app.Status.OperationState = &v1alpha1.OperationState{Phase: "Running", Message: "wave 2", StartedAt: v1alpha1.NewTime(time.Now())}
	s.update(app)
	waits("application addons is OutOfSync and Progressing: wave 2")
	app.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: "SharedResourceWarning", Message: "shared"}, {Type: v1alpha1.ApplicationConditionComparisonError, Message: "no such chart"}}
	s.update(app)
	waits("application addons is OutOfSync and Progressing: no such chart")
	app.Status.Sync.Status, app.Status.Health.Status = v1alpha1.SyncStatusCodeSynced, v1alpha1.HealthStatusHealthy
	s.update(app)
	waits("")
	if err := b.Wait(t.Context(), &Plan{deployments: []string{"causeway"}}); err == nil || !strings.Contains(err.Error(), "the engine does not run: not ready within 1ns") {
		t.Errorf("after its time: %v", err)
	}
}

func (s *site) update(app *v1alpha1.Application) {
	s.t.Helper()
	if err := s.client.Update(s.t.Context(), app); err != nil {
		s.t.Fatal(err)
	}
}

// TestRightsAreWords that people grant rights by.
func TestRightsAreWords(t *testing.T) {
	for want, r := range map[string]Right{
		"create namespaces":                         {Verb: "create", Resource: "namespaces"},
		"patch deployments.apps in namespace a":     {Verb: "patch", Group: "apps", Resource: "deployments", Namespace: "a"},
		"get secrets hub in namespace argocd":       {Verb: "get", Resource: "secrets", Namespace: "argocd", Name: "hub"},
		"delete clusterroles.rbac.authorization.io": {Verb: "delete", Group: "rbac.authorization.io", Resource: "clusterroles"},
	} {
		if got := r.String(); got != want {
			t.Errorf("got %q; want %q", got, want)
		}
	}
}

// TestRightsOfWrites: what is not there is created, and a kind without namespaces takes a right without one.
func TestRightsOfWrites(t *testing.T) {
	o := &unstructured.Unstructured{Object: map[string]any{"kind": "X", "metadata": map[string]any{"name": "a", "namespace": "ns"}}}
	spaced, wide := collection{"g", "xs", true}, collection{"g", "xs", false}
	for reason, tc := range map[string]struct {
		f    found
		want string
	}{
		"one that is new":                  {found{wanted: o, resource: spaced}, "[create xs.g in namespace ns patch xs.g in namespace ns]"},
		"one that is there":                {found{wanted: o, live: o, resource: spaced}, "[patch xs.g in namespace ns]"},
		"one that is in no namespace":      {found{wanted: o, live: o, resource: wide}, "[patch xs.g]"},
		"one that nobody asks for anymore": {found{live: o, resource: spaced}, "[delete xs.g in namespace ns]"},
	} {
		if got := fmt.Sprint(tc.f.rights()); got != tc.want {
			t.Errorf("%s: got %s; want %s", reason, got, tc.want)
		}
	}
}

// TestWhatStandsInTheWay: a root can be left out, and anything else has to be named otherwise.
func TestWhatStandsInTheWay(t *testing.T) {
	made := func(group, kind, by string) found {
		o := &unstructured.Unstructured{}
		o.SetAPIVersion(strings.TrimPrefix(group+"/v1", "/"))
		o.SetKind(kind)
		o.SetNamespace("argocd")
		o.SetName("x")
		fields := []metav1.ManagedFieldsEntry{{Manager: "kubelet", Subresource: "status"}}
		if by != "" {
			fields = append(fields, metav1.ManagedFieldsEntry{Manager: by})
		}
		o.SetManagedFields(fields)
		return found{live: o}
	}
	err := inTheWay([]found{made("", "Secret", "helm"), made("apps", "Deployment", "")})
	if want := "Secret argocd/x, which helm made; Deployment argocd/x, which somebody else made; give it another name, or delete it"; !gitops.IsProblem(err, gitops.Invalid) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v; want %q", err, want)
	}
	err = inTheWay([]found{made(v1alpha1.Group, "Application", "kubectl"), made("", "Secret", "helm")})
	if !strings.Contains(err.Error(), "or leave that root application out with --roots") {
		t.Errorf("got %v", err)
	}
}

// TestWhatStays: a namespace has no content of ours, and definitions of somebody else are theirs.
func TestWhatStays(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, kind, by string
		want             bool
	}{
		"New":        {"it is not there yet", "Namespace", "", false},
		"Namespace":  {"a namespace, whoever made it", "Namespace", bootstrap.Manager, true},
		"Argo":       {"definitions of Argo CD", definitionKind, "helm", true},
		"Engine":     {"those of an engine are brought up to date", definitionKind, "causeway", false},
		"Deployment": {"anything else is compared", "Deployment", "helm", false},
	} {
		o := &unstructured.Unstructured{}
		o.SetKind(tc.kind)
		f := found{wanted: o}
		if tc.by != "" {
			f.live = o.DeepCopy()
			f.live.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: tc.by}})
		}
		if got := f.stays(); got != tc.want {
			t.Errorf("%s: %s: got %t", name, tc.reason, got)
		}
	}
}
