package observe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// fakeLister lists from memory and counts its calls.
type fakeLister struct {
	objects []*unstructured.Unstructured
	refuse  string // a kind that cannot be listed
	calls   []string
}

func (f *fakeLister) List(_ context.Context, gvk schema.GroupVersionKind, namespace string) ([]unstructured.Unstructured, error) {
	f.calls = append(f.calls, gvk.Kind)
	if gvk.Kind == f.refuse {
		return nil, errors.New("refused")
	}
	var out []unstructured.Unstructured
	for _, o := range f.objects {
		if o.GroupVersionKind() == gvk && o.GetNamespace() == namespace {
			out = append(out, *o)
		}
	}
	return out, nil
}

func owned(t *testing.T, apiVersion, kind, name, owner string) *unstructured.Unstructured {
	t.Helper()
	return object(t, fmt.Sprintf(`
apiVersion: %s
kind: %s
metadata: {name: %s, namespace: shop, uid: %s, ownerReferences: [{uid: %q}]}
spec: {replicas: 1, restartPolicy: Always}
status: {phase: Running, readyReplicas: 1, conditions: [{type: Ready, status: "True"}]}
`, apiVersion, kind, name, name, owner))
}

func TestTree(t *testing.T) {
	l := &fakeLister{objects: []*unstructured.Unstructured{
		owned(t, "apps/v1", "ReplicaSet", "web-2", "web"),
		owned(t, "apps/v1", "ReplicaSet", "web-1", "web"),
		owned(t, "apps/v1", "ReplicaSet", "other-1", "other"),
		owned(t, "v1", "Pod", "web-1-a", "web-1"),
		owned(t, "v1", "Pod", "db-0", "db"),
		owned(t, "discovery.k8s.io/v1", "EndpointSlice", "web-x", "svc"),
		owned(t, "apps/v1", "StatefulSet", "db", "custom"),
		owned(t, "v1", "Secret", "database", "external"),
		owned(t, "v1", "Secret", "by-hand", ""),
	}}
	roots := []*unstructured.Unstructured{
		owned(t, "apps/v1", "Deployment", "web", ""),
		owned(t, "v1", "Service", "svc", ""),
		owned(t, "db.example.com/v1", "Database", "custom", ""),
		owned(t, "external-secrets.io/v1", "ExternalSecret", "external", ""),
		owned(t, "v1", "ConfigMap", "plain", ""),
	}
	nodes, err := New().Tree(t.Context(), "", l, roots)
	if err != nil {
		t.Fatal(err)
	}
	want := `Deployment web
  ReplicaSet web-1
    Pod web-1-a
  ReplicaSet web-2
Service svc
  EndpointSlice web-x
Database custom
  StatefulSet db
    Pod db-0
ExternalSecret external
  Secret database
ConfigMap plain
`
	if diff := cmp.Diff(want, drawn(nodes, "")); diff != "" {
		t.Error(diff)
	}
	seen := map[string]bool{}
	for _, kind := range l.calls {
		if seen[kind] {
			t.Errorf("%s was listed twice", kind)
		}
		seen[kind] = true
	}
	if pod := nodes[0].Children[0].Children[0]; pod.Health.Code != "Healthy" || pod.Info != "Running" {
		t.Errorf("pod is %+v", pod)
	}
}

// shared are n Deployments, n ReplicaSets that all of those own, and n Pods
// that all ReplicaSets own.
func shared(t *testing.T, n int) (roots, below []*unstructured.Unstructured) {
	t.Helper()
	level := func(apiVersion, kind string, owners []any) []*unstructured.Unstructured {
		var out []*unstructured.Unstructured
		for i := range n {
			o := owned(t, apiVersion, kind, fmt.Sprintf("%s-%d", strings.ToLower(kind), i), "")
			if owners != nil {
				_ = unstructured.SetNestedSlice(o.Object, owners, "metadata", "ownerReferences")
			}
			out = append(out, o)
		}
		return out
	}
	refs := func(all []*unstructured.Unstructured) []any {
		var out []any
		for _, o := range all {
			out = append(out, map[string]any{"uid": string(o.GetUID())})
		}
		return out
	}
	roots = level("apps/v1", "Deployment", nil)
	middle := level("apps/v1", "ReplicaSet", refs(roots))
	return roots, append(middle, level("v1", "Pod", refs(middle))...)
}

func count(nodes []*Node) int {
	n := len(nodes)
	for _, one := range nodes {
		n += count(one.Children)
	}
	return n
}

// TestTreeOfManyOwners: who names many owners is there once.
func TestTreeOfManyOwners(t *testing.T) {
	roots, below := shared(t, 30)
	nodes, err := New().Tree(t.Context(), "", &fakeLister{objects: below}, roots)
	if err != nil || len(nodes) != 30 || count(nodes) != 90 {
		t.Errorf("%d nodes below %d roots of 90 objects, %v", count(nodes), len(nodes), err)
	}
	if first := nodes[0]; len(first.Children) != 30 || len(first.Children[0].Children) != 30 {
		t.Errorf("below the first owner are %s", drawn(nodes[:1], ""))
	}
	// A root stays one, whoever owns it.
	nodes, err = New().Tree(t.Context(), "", &fakeLister{objects: below}, append(roots, below[0]))
	if err != nil || len(nodes) != 31 || count(nodes) != 90 {
		t.Errorf("%d nodes below %d roots, %v", count(nodes), len(nodes), err)
	}
}

// TestTreeIsBounded: what is too much is told, and the roots are there.
func TestTreeIsBounded(t *testing.T) {
	roots, below := shared(t, 30)
	tree := &tree{checks: New(), from: &fakeLister{objects: below}, most: 50}
	nodes := tree.grow(t.Context(), roots)
	if len(nodes) != 30 || count(nodes) != 50 || len(tree.failures) != 1 || !strings.Contains(tree.failures[0].Error(), "at least 40 objects are left out") {
		t.Errorf("%d nodes below %d roots, %v", count(nodes), len(nodes), tree.failures)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if nodes, err := New().Tree(ctx, "", &fakeLister{objects: below}, roots); !errors.Is(err, context.Canceled) || len(nodes) != 0 {
		t.Errorf("for nobody any more: %d nodes, %v", len(nodes), err)
	}
}

func TestTreeWithoutRights(t *testing.T) {
	l := &fakeLister{objects: []*unstructured.Unstructured{owned(t, "apps/v1", "ReplicaSet", "web-1", "web")}, refuse: "Pod"}
	nodes, err := New().Tree(t.Context(), "", l, []*unstructured.Unstructured{owned(t, "apps/v1", "Deployment", "web", "")})
	if err == nil || len(nodes) != 1 || len(nodes[0].Children) != 1 {
		t.Errorf("got %v and %s; want the tree without pods, and an error", err, drawn(nodes, ""))
	}
}

func drawn(nodes []*Node, indent string) string {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(indent + n.Key.Kind + " " + n.Key.Name + "\n" + drawn(n.Children, indent+"  "))
	}
	return b.String()
}
