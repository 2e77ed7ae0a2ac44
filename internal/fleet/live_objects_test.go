package fleet

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
)

// TestLive follows one object of an application through its life.
func TestLive(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	f, seen := newFleet(t, config)
	hub := f.Hub()
	key := gitops.Key{Kind: "ConfigMap", Namespace: namespace, Name: "a"}
	change := gitops.Change{Server: gitops.HubServer, App: namespace, Key: key}
	kinds := []schema.GroupVersionKind{configMaps}

	if live := mustLive(t, hub, namespace, kinds, key); len(live) != 0 {
		t.Fatalf("there is something before anything was applied: %v", live)
	}
	applied := observe.New().Live("", apply(t, hub, configMap(namespace, "a", namespace, "1")))
	embeddedtest.Eventually(t, func(context.Context) error { return seen.has(change) })
	live := mustLive(t, hub, namespace, kinds)[key]
	if diff := cmp.Diff(applied, live); diff != "" {
		t.Fatalf("what the watch keeps is not what the apply gave: %s", diff)
	}
	seen.take()

	client := hub.Dynamic().Resource(configMaps.GroupVersion().WithResource("configmaps")).Namespace(namespace)
	patch := func(manager, body string) {
		t.Helper()
		_, err := client.Patch(t.Context(), "a", types.MergePatchType, []byte(body), metav1.PatchOptions{FieldManager: manager})
		if err != nil {
			t.Fatal(err)
		}
	}
	patch("someone", `{"metadata":{"labels":{"x":"y"}},"data":{"other":"z"}}`)
	embeddedtest.Eventually(t, func(context.Context) error {
		now := mustLive(t, hub, namespace, kinds)[key]
		if now.ResourceVersion == live.ResourceVersion {
			return errors.New("the watch has not told of the patch")
		}
		if now.Fingerprint != live.Fingerprint {
			t.Fatal("someone else's field changed the fingerprint")
		}
		return nil
	})
	if changes := seen.take(); len(changes) != 0 {
		t.Errorf("someone else's field told a change: %v", changes)
	}

	patch("kubectl-edit", `{"data":{"key":"2"}}`)
	embeddedtest.Eventually(t, func(context.Context) error { return seen.has(change) })
	if now := mustLive(t, hub, namespace, kinds)[key]; now.Fingerprint == live.Fingerprint {
		t.Error("an edit of our field left the fingerprint as it was")
	}
	seen.take()

	if err := client.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(context.Context) error { return seen.has(change) })
	if live := mustLive(t, hub, namespace, kinds, key); len(live) != 0 {
		t.Errorf("it is still there: %v", live)
	}
}

// TestStatusTellsHealthOnly brings up a Deployment, which takes a dozen
// updates of its status.
func TestStatusTellsHealthOnly(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	f, seen := newFleet(t, config)
	key := gitops.Key{Group: "apps", Kind: "Deployment", Namespace: namespace, Name: "web"}
	kinds := []schema.GroupVersionKind{deployments}
	mustLive(t, f.Hub(), "web", kinds)
	applied := observe.New().Live("", apply(t, f.Hub(), deployment(namespace, "web", "web")))
	f.Hub().Put(applied)
	if got := mustLive(t, f.Hub(), "web", kinds)[key]; got == nil || got.Fingerprint != applied.Fingerprint {
		t.Fatalf("what was put is not there at once: %+v", got)
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		got := mustLive(t, f.Hub(), "web", kinds)[key]
		if got.Fingerprint != applied.Fingerprint {
			t.Fatal("a status changed the fingerprint")
		}
		if got.Health.Code != gitops.Healthy {
			return fmt.Errorf("health is %+v", got.Health)
		}
		return nil
	})
	// One that it is healthy, and one that it is there, if the watch was
	// faster than the answer to the apply.
	changes := seen.take()
	if len(changes) < 1 || len(changes) > 2 {
		t.Errorf("%d changes until healthy; want 1 or 2: %v", len(changes), changes)
	}
}

func TestAdoption(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	f, seen := newFleet(t, config)
	hub := f.Hub()
	key := gitops.Key{Kind: "ConfigMap", Namespace: namespace, Name: "theirs"}
	client := hub.Dynamic().Resource(configMaps.GroupVersion().WithResource("configmaps")).Namespace(namespace)
	theirs := configMap(namespace, "theirs", "", "1")
	if _, err := client.Create(t.Context(), theirs, metav1.CreateOptions{FieldManager: "kubectl-client-side-apply"}); err != nil {
		t.Fatal(err)
	}
	if live := mustLive(t, hub, namespace, []schema.GroupVersionKind{configMaps}); len(live) != 0 {
		t.Fatalf("an object that is not tracked was found without being desired: %v", live)
	}
	live := mustLive(t, hub, namespace, []schema.GroupVersionKind{configMaps}, key)[key]
	if live == nil || live.UID == "" || !live.Foreign || live.Tracking != "" {
		t.Fatalf("the desired object was not found as it is: %+v", live)
	}
	if err := client.Delete(t.Context(), "theirs", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		return seen.has(gitops.Change{Server: gitops.HubServer, App: namespace, Key: key})
	})
}

// TestKindComesLater asks for a kind before its definition is there, and
// sees it go again.
func TestKindComesLater(t *testing.T) {
	f, seen := newFleet(t, config)
	hub := f.Hub()
	widgets := schema.GroupVersionKind{Group: "later.test", Version: "v1", Kind: "Widget"}
	key := gitops.Key{Group: "later.test", Kind: "Widget", Name: "w"}
	mustLive(t, hub, "early", []schema.GroupVersionKind{widgets}, key)
	_, err := hub.Mapping(t.Context(), widgets)
	problemOf(t, err, gitops.NotReady)
	if _, known := hub.Scope()("later.test", "Widget"); known {
		t.Error("the scope of a kind is known before the kind is")
	}
	before, err := hub.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	apply(t, hub, widgetDefinition())
	embeddedtest.Eventually(t, func(context.Context) error {
		return seen.has(gitops.Change{Server: gitops.HubServer, App: "early", Key: gitops.Key{Group: "later.test", Kind: "Widget"}, Asked: true})
	})
	after, err := hub.Facts(t.Context())
	if err != nil || len(after.APIVersions) != len(before.APIVersions)+2 {
		t.Errorf("%d API versions before, %d after, %v", len(before.APIVersions), len(after.APIVersions), err)
	}
	if namespaced, known := hub.Scope()("later.test", "Widget"); namespaced || !known {
		t.Errorf("namespaced %v, known %v; want false, true", namespaced, known)
	}
	mustLive(t, hub, "early", []schema.GroupVersionKind{widgets}, key)
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		return tryApply(ctx, hub, tracked(widget("w"), "early"))
	})
	change := gitops.Change{Server: gitops.HubServer, App: "early", Key: key}
	embeddedtest.Eventually(t, func(context.Context) error { return seen.has(change) })
	seen.take()

	crds := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	if err := hub.Dynamic().Resource(crds).Delete(t.Context(), "widgets.later.test", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(context.Context) error { return seen.has(change) })
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if _, err := hub.Mapping(ctx, widgets); err == nil {
			return errors.New("the kind is still known")
		}
		if n := hub.State().WatchedKinds; n != 0 {
			return fmt.Errorf("%d kinds are still watched", n)
		}
		return nil
	})
}

func tryApply(ctx context.Context, c *Cluster, o *unstructured.Unstructured) error {
	m, err := c.Mapping(ctx, o.GroupVersionKind())
	if err != nil {
		return err
	}
	_, err = c.resource(m, o.GetNamespace()).Apply(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: gitops.FieldManager})
	return err
}

func widget(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "later.test/v1", "kind": "Widget", "metadata": map[string]any{"name": name},
	}}
}

func widgetDefinition() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "widgets.later.test"},
		"spec": map[string]any{
			"group": "later.test", "scope": "Cluster",
			"names": map[string]any{"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
			}},
		},
	}}
}

// TestOneLook: what a tree reads has one bound, however many lists it has, and
// all looks have one together.
func TestOneLook(t *testing.T) {
	c := &Cluster{looks: newLooks()}
	look, end := c.OneLook(t.Context(), "ann")
	defer end()
	if again, _ := c.OneLook(look, "ann"); again != look {
		t.Error("a list within a look has a bound of its own")
	}
	if other, _ := c.OneLook(t.Context(), "ann"); other == look {
		t.Error("two looks have one bound")
	}
	if broken, _ := (&Cluster{}).OneLook(t.Context(), "ann"); broken == t.Context() {
		t.Error("a look at a cluster that cannot be used has no bound")
	}
}
