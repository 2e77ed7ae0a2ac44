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
	}}
	roots := []*unstructured.Unstructured{
		owned(t, "apps/v1", "Deployment", "web", ""),
		owned(t, "v1", "Service", "svc", ""),
		owned(t, "db.example.com/v1", "Database", "custom", ""),
		owned(t, "v1", "ConfigMap", "plain", ""),
	}
	nodes, err := New().Tree(t.Context(), l, roots)
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

func TestTreeWithoutRights(t *testing.T) {
	l := &fakeLister{objects: []*unstructured.Unstructured{owned(t, "apps/v1", "ReplicaSet", "web-1", "web")}, refuse: "Pod"}
	nodes, err := New().Tree(t.Context(), l, []*unstructured.Unstructured{owned(t, "apps/v1", "Deployment", "web", "")})
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
