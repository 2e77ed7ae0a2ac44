package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
)

var config *rest.Config

func TestMain(m *testing.M) { os.Exit(embeddedtest.Main(m, &config)) }

// seen collects what a fleet tells.
type seen struct {
	mu       sync.Mutex
	changes  []gitops.Change
	clusters []string // "server up" or "server down"
	kinds    int
}

func (s *seen) change(c gitops.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes = append(s.changes, c)
}

func (s *seen) cluster(server string, up bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clusters = append(s.clusters, fmt.Sprintf("%s up=%v", server, up))
}

func (s *seen) kind(string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kinds++
}

// take returns the changes so far and forgets them.
func (s *seen) take() []gitops.Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.changes
	s.changes = nil
	return out
}

func (s *seen) has(want gitops.Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.changes {
		if c == want {
			return nil
		}
	}
	return fmt.Errorf("no change %+v among %+v", want, s.changes)
}

func (s *seen) hasCluster(want string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.clusters {
		if c == want {
			return nil
		}
	}
	return fmt.Errorf("%q is not among %q", want, s.clusters)
}

func newFleet(t *testing.T, hub *rest.Config) (*Fleet, *seen) {
	t.Helper()
	s := &seen{}
	f, err := New(Options{
		Hub: hub, Namespace: "argocd", Convert: observe.New().Live,
		OnChange: s.change, OnCluster: s.cluster, OnKinds: s.kind,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f, s
}

var (
	configMaps  = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	deployments = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
)

func configMap(namespace, name, app, value string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": name, "namespace": namespace},
		"data":     map[string]any{"key": value},
	}}
	return tracked(o, app)
}

func tracked(o *unstructured.Unstructured, app string) *unstructured.Unstructured {
	if app != "" {
		o.SetAnnotations(map[string]string{gitops.AnnotationTracking: gitops.TrackingID(app, gitops.KeyOf(o))})
	}
	return o
}

func deployment(namespace, name, app string) *unstructured.Unstructured {
	labels := map[string]any{"app": name}
	return tracked(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": name, "namespace": namespace},
		"spec": map[string]any{
			"replicas": int64(1),
			"selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": "main", "image": "web:1"}}},
			},
		},
	}}, app)
}

// apply applies an object as the engine does.
func apply(t *testing.T, c *Cluster, o *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	m, err := c.Mapping(t.Context(), o.GroupVersionKind())
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.resource(m, o.GetNamespace()).Apply(t.Context(), o.GetName(), o, metav1.ApplyOptions{FieldManager: gitops.FieldManager, Force: true})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func mustLive(t *testing.T, c *Cluster, app string, gvks []schema.GroupVersionKind, keys ...gitops.Key) map[gitops.Key]*gitops.Live {
	t.Helper()
	var live map[gitops.Key]*gitops.Live
	embeddedtest.Eventually(t, func(ctx context.Context) (err error) { // a cluster that was not heard of yet is waited for for seconds only
		live, err = c.Live(ctx, app, gvks, keys)
		return err
	})
	return live
}

func problemOf(t *testing.T, err error, kind gitops.ProblemKind) *gitops.Problem {
	t.Helper()
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != kind {
		t.Fatalf("got %v; want a problem of kind %d", err, kind)
	}
	return p
}
