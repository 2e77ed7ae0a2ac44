package observe

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestTreeTellsOfEachObject: what a page shows of an object in a tree, in a few words.
func TestTreeTellsOfEachObject(t *testing.T) {
	cases := map[string]struct {
		reason, text, info string
		images             []string
	}{
		"Deployment":  {"replicas that are ready, and all images once", "{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 3, template: {spec: {initContainers: [{image: b}], containers: [{image: a}, {image: b}]}}}, status: {readyReplicas: 2}}", "2/3 ready", []string{"b", "a"}},
		"DaemonSet":   {"a pod on each node", "{apiVersion: apps/v1, kind: DaemonSet, status: {numberReady: 1, desiredNumberScheduled: 4}}", "1/4 ready", nil},
		"Pod":         {"the phase of a pod", "{apiVersion: v1, kind: Pod, spec: {containers: [{image: a}]}, status: {phase: Pending}}", "Pending", []string{"a"}},
		"CronJob":     {"the images of its pods", "{apiVersion: batch/v1, kind: CronJob, spec: {jobTemplate: {spec: {template: {spec: {containers: [{image: a}]}}}}}}", "", []string{"a"}},
		"Custom":      {"a kind that has other things under these names", "{apiVersion: x.io/v1, kind: X, spec: {containers: 3, template: a, jobTemplate: []}}", "", nil},
		"NoContainer": {"containers that are none", "{apiVersion: v1, kind: Pod, spec: {containers: [a, {image: 1}, {}]}}", "", nil},
		"Malformed":   {"a number that is none", "{apiVersion: apps/v1, kind: StatefulSet, spec: {replicas: x}, status: []}", "0/0 ready", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := object(t, tc.text)
			o.SetName("a")
			o.SetCreationTimestamp(metaTime)
			nodes, err := New().Tree(t.Context(), "", &fakeLister{}, []*unstructured.Unstructured{o})
			if err != nil || len(nodes) != 1 {
				t.Fatalf("%s: %v, %v", tc.reason, nodes, err)
			}
			n := nodes[0]
			if n.Info != tc.info || n.Version != o.GroupVersionKind().Version || !n.Created.Equal(metaTime.Time) {
				t.Errorf("%s: got %+v", tc.reason, n)
			}
			if diff := cmp.Diff(tc.images, n.Images); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTreeLooksBelow says below which objects others are looked for: each kind that is listed is a request.
func TestTreeLooksBelow(t *testing.T) {
	cases := map[string]struct {
		reason, apiVersion, kind, listed string
	}{
		"Deployment":  {"what a Deployment makes", "apps/v1", "Deployment", "ReplicaSet"},
		"Group":       {"a kind of that name in a group of Kubernetes makes nothing", "extensions/v1beta1", "Deployment", ""},
		"Config":      {"a ConfigMap makes nothing", "v1", "ConfigMap", ""},
		"Gateway":     {"nor do kinds of groups that end as those of Kubernetes", "gateway.networking.k8s.io/v1", "Gateway", ""},
		"Application": {"below an Application is what it has, which is in no tree of owners", "argoproj.io/v1alpha1", "Application", ""},
		"Set":         {"an ApplicationSet makes Applications", "argoproj.io/v1alpha1", "ApplicationSet", "Application"},
		"Custom":      {"what a custom kind makes may be much", "x.io/v1", "X", "Deployment StatefulSet DaemonSet ReplicaSet CronJob Job Pod Service ConfigMap Secret PersistentVolumeClaim"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l := &fakeLister{}
			if _, err := New().Tree(t.Context(), "", l, []*unstructured.Unstructured{owned(t, tc.apiVersion, tc.kind, "a", "")}); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(l.calls, " "); got != tc.listed {
				t.Errorf("%s: listed are %q; want %q", tc.reason, got, tc.listed)
			}
		})
	}
}

// TestTreeOfOthersLooksBelowNothing: an object in no namespace, and one from a file, own nothing in a namespace.
func TestTreeOfOthersLooksBelowNothing(t *testing.T) {
	for reason, path := range map[string][]string{"in no namespace": {"metadata", "namespace"}, "in no cluster": {"metadata", "uid"}} {
		o := owned(t, "apps/v1", "Deployment", "web", "")
		unstructured.RemoveNestedField(o.Object, path...)
		l := &fakeLister{objects: []*unstructured.Unstructured{owned(t, "apps/v1", "ReplicaSet", "web-1", "")}}
		nodes, err := New().Tree(t.Context(), "", l, []*unstructured.Unstructured{o})
		if err != nil || len(l.calls) != 0 || count(nodes) != 1 {
			t.Errorf("%s: %v are listed, %v:\n%s", reason, l.calls, err, drawn(nodes, ""))
		}
	}
}

func TestSumTellsTheFirstOfTheWorst(t *testing.T) {
	item := func(name string, h gitops.Health) Item {
		return Item{Key: gitops.Key{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: name}, Live: &gitops.Live{Health: h}}
	}
	cases := map[string]struct {
		reason string
		items  []Item
		want   gitops.Health
	}{
		"First":   {"of several that are as bad the first is told", []Item{item("a", gitops.Health{Code: gitops.Degraded, Message: "m"}), item("b", gitops.Health{Code: gitops.Degraded, Message: "n"})}, gitops.Health{Code: gitops.Degraded, Message: "Deployment shop/a: m"}},
		"Worse":   {"a worse one comes before those above it", []Item{item("a", gitops.Health{Code: gitops.Progressing, Message: "m"}), item("b", gitops.Health{Code: gitops.Degraded})}, gitops.Health{Code: gitops.Degraded, Message: "Deployment shop/b is Degraded"}},
		"Missing": {"one that is not there says so", []Item{{Key: gitops.Key{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "a"}}}, gitops.Health{Code: gitops.Missing, Message: "Deployment shop/a: The object does not exist"}},
		"Well":    {"nothing is told where all are well", []Item{item("a", gitops.Health{Code: gitops.Healthy, Message: "m"})}, gitops.Health{Code: gitops.Healthy}},
		"Other":   {"another value of the annotation ignores nothing", []Item{{Key: gitops.Key{Kind: "Pod", Name: "a"}, Live: &gitops.Live{Health: gitops.Health{Code: gitops.Degraded}, Annotations: map[string]string{gitops.AnnotationIgnore: "yes"}}}}, gitops.Health{Code: gitops.Degraded, Message: "Pod a is Degraded"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, New().Sum(tc.items)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestMergedObjects: an object that we wrote and never applied has no fields that can be taken away by an apply.
func TestMergedObjects(t *testing.T) {
	manager := func(name, operation, subresource string) any {
		return map[string]any{"manager": name, "operation": operation, "subresource": subresource}
	}
	cases := map[string]struct {
		reason   string
		managers []any
		want     bool
	}{
		"Nobody":  {"an object of nobody", nil, false},
		"Others":  {"one of others", []any{manager("kubectl", "Update", "")}, false},
		"Wrote":   {"one that we patched", []any{manager(gitops.FieldManager, "Update", "")}, true},
		"Applied": {"what we applied, too, is ours", []any{manager(gitops.FieldManager, "Update", ""), manager(gitops.FieldManager, "Apply", "")}, false},
		"Status":  {"a status that we wrote is no object that we wrote", []any{manager(gitops.FieldManager, "Update", "status")}, false},
		"Odd":     {"what is no manager", []any{"causeway", nil, manager(gitops.FieldManager, "Update", "")}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"managedFields": tc.managers}}}
			if got := New().Live("", o).Merged; got != tc.want {
				t.Errorf("%s: got %t", tc.reason, got)
			}
		})
	}
}

// metaTime is when objects of these tests were made.
var metaTime = metav1.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)
