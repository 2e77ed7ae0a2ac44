package object

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/test/await"
)

// heldSet is a set whose deletion the guard holds. Its first Application says
// why it stays, its second nothing; the third is of another set.
const heldSet = `
- apiVersion: argoproj.io/v1alpha1
  kind: ApplicationSet
  metadata: {name: addons, namespace: argocd, uid: u1, finalizers: [foregroundDeletion]}
  status:
    conditions:
    - {type: DeletionHeld, status: "True", message: 40 Applications wait for an approval}
    - {type: ErrorOccurred, status: "False", message: all is well}
    - {type: ResourcesUpToDate, status: "True", message: up to date}
- apiVersion: argoproj.io/v1alpha1
  kind: Application
  metadata: {name: one, namespace: argocd, ownerReferences: [{uid: u1, controller: true, apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, name: addons}]}
  status: {conditions: [{type: DeletionHeldError, message: "30 objects of 30 would go"}]}
- apiVersion: argoproj.io/v1alpha1
  kind: Application
  metadata: {name: two, namespace: argocd, ownerReferences: [{uid: u1, controller: true, apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, name: addons}]}
- apiVersion: argoproj.io/v1alpha1
  kind: Application
  metadata: {name: other, namespace: argocd}
  status: {conditions: [{type: SyncError, message: of another set}]}
`

// ticking is a clock that goes on by 12 seconds whenever somebody looks.
func ticking() func() time.Time {
	now := time.Now()
	return func() time.Time {
		now = now.Add(12 * time.Second)
		return now
	}
}

// staying is a client of a cluster where nothing that is deleted goes.
func staying(t *testing.T, text string) (*Client, []unstructured.Unstructured) {
	t.Helper()
	var all []map[string]any
	if err := yaml.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	var given []unstructured.Unstructured
	var objects []runtime.Object
	for _, o := range all {
		given = append(given, unstructured.Unstructured{Object: o})
		objects = append(objects, &unstructured.Unstructured{Object: o})
	}
	group := schema.GroupVersion{Group: "argoproj.io", Version: "v1alpha1"}
	d := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		group.WithResource("applications"): "ApplicationList", group.WithResource("applicationsets"): "ApplicationSetList",
	}, objects...)
	d.PrependReactor("delete", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, nil })
	served := &fakediscovery.FakeDiscovery{Fake: &clienttesting.Fake{Resources: []*metav1.APIResourceList{{
		GroupVersion: group.String(),
		APIResources: []metav1.APIResource{
			{Name: "applications", Kind: "Application", Namespaced: true}, {Name: "applications/status", Kind: "Application", Namespaced: true},
			{Name: "applicationsets", Kind: "ApplicationSet", Namespaced: true},
		},
	}}}}
	return &Client{dynamic: d, discovery: served, now: ticking()}, given
}

// TestRemoveTellsWhatHolds: who waits for a deletion in vain learns from the
// error what the guard says, of the set and of each of its Applications.
func TestRemoveTellsWhatHolds(t *testing.T) {
	c, all := staying(t, heldSet)
	err := c.Remove(t.Context(), &all[0], 2*removePoll)
	if err == nil {
		t.Fatal("what stays is told as gone")
	}
	for _, want := range []string{
		"finalizers foregroundDeletion are not done", "DeletionHeld: 40 Applications wait for an approval.",
		"one: DeletionHeldError: 30 objects of 30 would go.", "two: it says nothing yet.", "Terraform keeps it; apply again later",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error has no %q: %v", want, err)
		}
	}
	for _, not := range []string{"all is well", "up to date", "of another set"} {
		if strings.Contains(err.Error(), not) {
			t.Errorf("the error has %q, which holds nothing: %v", not, err)
		}
	}
}

// TestRemoveTellsOfTheFirst: an error of a thousand lines helps nobody.
func TestRemoveTellsOfTheFirst(t *testing.T) {
	var text strings.Builder
	text.WriteString("- {apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, metadata: {name: addons, namespace: argocd, uid: u1}}\n")
	for i := range mostShown + 5 {
		_, _ = fmt.Fprintf(&text, "- {apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: app-%02d, namespace: argocd, ownerReferences: [{uid: u1, controller: true, apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, name: addons}]}}\n", i)
	}
	c, all := staying(t, text.String())
	got := c.reasons(t.Context(), &all[0])
	if !strings.Contains(got, "app-09:") || strings.Contains(got, "app-10:") || !strings.Contains(got, "And 5 more Applications.") {
		t.Errorf("got %s", got)
	}
}

// TestRemoveAsTheLiveObjectSays: what Terraform has of a set when it deletes it
// is its name. In which order its Applications go is in the cluster, and so is
// which object of that name it is.
func TestRemoveAsTheLiveObjectSays(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, kind, spec string
		want               metav1.DeletionPropagation
	}{
		"Set":         {"it goes after its Applications", "ApplicationSet", "{}", metav1.DeletePropagationForeground},
		"AllAtOnce":   {"the same", "ApplicationSet", "{strategy: {deletionOrder: AllAtOnce}}", metav1.DeletePropagationForeground},
		"Reverse":     {"in the foreground all of its Applications would go at once", "ApplicationSet", "{strategy: {deletionOrder: Reverse}}", metav1.DeletePropagationBackground},
		"Application": {"it has a finalizer", "Application", "{}", metav1.DeletePropagationBackground},
	} {
		t.Run(name, func(t *testing.T) {
			c, all := staying(t, fmt.Sprintf("[{apiVersion: argoproj.io/v1alpha1, kind: %s, metadata: {name: a, namespace: argocd, uid: u1}, spec: %s}]", tc.kind, tc.spec))
			named := &unstructured.Unstructured{}
			named.SetGroupVersionKind(all[0].GroupVersionKind())
			named.SetNamespace("argocd")
			named.SetName("a")
			if err := c.Remove(t.Context(), named, removePoll); err == nil {
				t.Fatal("what stays is told as gone")
			}
			var got []metav1.DeleteOptions
			for _, action := range c.dynamic.(*fake.FakeDynamicClient).Actions() {
				if d, ok := action.(clienttesting.DeleteActionImpl); ok {
					got = append(got, d.DeleteOptions)
				}
			}
			if len(got) != 1 || *got[0].PropagationPolicy != tc.want {
				t.Fatalf("%s: got %+v, want one deletion by %s", tc.reason, got, tc.want)
			}
			if only := got[0].Preconditions; only == nil || only.UID == nil || *only.UID != "u1" {
				t.Errorf("another object of that name would be deleted as well: %+v", only)
			}
		})
	}
}

// TestRemoveLeavesAnother: what was made anew since it was read is not deleted,
// and not waited for.
func TestRemoveLeavesAnother(t *testing.T) {
	c, all := staying(t, "[{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: a, namespace: argocd, uid: new}}]")
	before := all[0].DeepCopy()
	before.SetUID("old")
	place, err := c.place(before)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.untilGone(t.Context(), place, before, removePoll); err != nil {
		t.Errorf("it waits for an object that is not to be deleted: %v", err)
	}
	c.dynamic.(*fake.FakeDynamicClient).PrependReactor("delete", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewConflict(schema.GroupResource{Resource: "applications"}, "a", errors.New("precondition failed"))
	})
	if err := c.Remove(t.Context(), before, removePoll); !errors.Is(err, errMoved) {
		t.Errorf("got %v, want that it is another one", err)
	}
}

func TestRemoveOfWhatIsNotServed(t *testing.T) {
	c, _ := staying(t, "[]")
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "argoproj.io/v1alpha1", "kind": "Nothing", "metadata": map[string]any{"name": "a"}}}
	if err := c.Remove(t.Context(), o, removePoll); err != nil {
		t.Errorf("a kind that went took its objects along, got %v", err)
	}
	if _, err := c.place(o); !errors.Is(err, errNotServed) {
		t.Errorf("got %v", err)
	}
}

// TestRemoveEndsWhereItIsRefused: what the cluster refuses until somebody does
// something is told before the time is over, and not as finalizers that are not
// done; what a server says that is starting is no reason to end.
func TestRemoveEndsWhereItIsRefused(t *testing.T) {
	apps := schema.GroupResource{Group: "argoproj.io", Resource: "applications"}
	gone, expired := apierrors.NewNotFound(apps, "a"), apierrors.NewUnauthorized("the token t0ps3cret has expired")
	forbidden := apierrors.NewForbidden(apps, "a", errors.New("no rule"))
	for name, tc := range map[string]struct {
		reason  string
		within  time.Duration
		answers []error // to each look after the deletion; the last one stays
		want    string  // part of the error; empty for none
	}{
		"Token":     {"it does not get valid again", await.Limit, []error{expired}, "cannot tell whether Application argocd/a is gone: the cluster does not take the credentials"},
		"Right":     {"nobody gives it back for half a minute", await.Limit, []error{forbidden}, "the provider's user may not do this"},
		"Late":      {"the time is over before that", removePoll, []error{forbidden}, "the provider's user may not do this"},
		"Restarted": {"the API server has not read its roles yet", await.Limit, []error{forbidden, forbidden, forbidden, gone}, ""},
		"Renewed":   {"after the first refusal credentials are read again", await.Limit, []error{expired, gone}, ""},
		"Down":      {"the API server restarts", await.Limit, []error{apierrors.NewServiceUnavailable("x"), apierrors.NewServiceUnavailable("x"), gone}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, all := staying(t, "[{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: a, namespace: argocd, uid: u1}}]")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			looks := 0
			c.dynamic.(*fake.FakeDynamicClient).PrependReactor("get", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
				looks++
				if looks == 1 {
					return false, nil, nil // before the deletion
				}
				if looks > 10 {
					cancel()
				}
				return true, nil, tc.answers[min(looks-2, len(tc.answers)-1)]
			})
			err := c.Remove(ctx, &all[0], tc.within)
			if tc.want == "" {
				if err != nil {
					t.Errorf("%s: %v", tc.reason, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "t0ps3cret") {
				t.Errorf("%s: got %v, want %q and nothing of the token", tc.reason, err, tc.want)
			}
		})
	}
}
