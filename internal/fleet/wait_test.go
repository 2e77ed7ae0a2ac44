package fleet

import (
	"context"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// inVain are kinds that nobody serves, others in each round.
func inVain(round, n int) []schema.GroupVersionKind {
	out := make([]schema.GroupVersionKind, n)
	for i := range out {
		out[i] = schema.GroupVersionKind{Group: "in-vain.test", Version: "v1", Kind: fmt.Sprintf("Kind%dOf%d", i, round)}
	}
	return out
}

// TestWaitsAreReplaced looks for other kinds in vain at each look.
func TestWaitsAreReplaced(t *testing.T) {
	s := newForeign(t)
	f, _ := newFleet(t, config)
	hub := f.Hub()
	if err := f.Set(t.Context(), gitops.Cluster{Name: "other", Server: s.URL, Secret: "other"}, insecure(s.URL)); err != nil {
		t.Fatal(err)
	}
	other := f.spokes["other"]
	awaited := func(reason string, onHub, onOther int) {
		t.Helper()
		if a, b := hub.State().Awaited, other.State().Awaited; a != onHub || b != onOther {
			t.Errorf("%s: %d and %d are awaited; want %d and %d", reason, a, b, onHub, onOther)
		}
	}
	for round := range 3 {
		mustLive(t, hub, "shop", inVain(round, 100))
		mustLive(t, hub, "web", inVain(round, 10))
	}
	awaited("each look replaces the one before", 110, 0)
	mustLive(t, hub, "shop", []schema.GroupVersionKind{
		{Group: strings.Repeat("g", 6<<10), Version: "v1", Kind: "A"}, {Group: "a.test", Version: "v1", Kind: strings.Repeat("K", 6<<10)}, {Group: "a b", Version: "v1", Kind: "A"}, {},
	})
	awaited("what no API server has is not awaited", 10, 0)
	mustLive(t, hub, "shop", inVain(4, 5))
	if _, err := hub.Glance(t.Context(), "shop", nil, nil); err != nil {
		t.Fatal(err)
	}
	awaited("a person's look changes nothing", 15, 0)
	mustLive(t, other, "shop", inVain(5, 7))
	awaited("an application waits where it looked last", 10, 7)
	f.Forget("web")
	awaited("an application that has gone waits for nothing", 0, 7)
	mustLive(t, other, "shop", nil)
	awaited("nor does one that lacks nothing", 0, 0)
	mustLive(t, other, "shop", inVain(6, 7))
	f.Remove("other")
	if n := other.State().Awaited + len(f.asks.looked); n != 0 {
		t.Errorf("%d are awaited on a cluster that has gone", n)
	}
}

func insecure(server string) *rest.Config {
	return &rest.Config{Host: server, BearerToken: "t0ken", TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
}

// TestHeedsAreReplaced has an application depend on other names at each look.
func TestHeedsAreReplaced(t *testing.T) {
	f, seen := newFleet(t, config)
	c, namespace := f.Hub(), embeddedtest.Namespace(t, config)
	heed := func(app, kind, name string) {
		t.Helper()
		gk := schema.GroupKind{Kind: kind}
		if kind != configMaps.Kind {
			gk.Group = "in-vain.test"
		}
		embeddedtest.Eventually(t, func(ctx context.Context) error {
			_, _, err := c.Heed(ctx, app, gk, namespace, name, func(bool) error { return nil })
			if gk.Group != "" {
				problemOf(t, err, gitops.NotReady)
				return nil
			}
			return err
		})
	}
	awaited := func(reason string, want int) {
		t.Helper()
		if n := c.State().Awaited; n != want {
			t.Errorf("%s: %d are awaited; want %d", reason, n, want)
		}
	}
	for round := range 3 {
		f.Unheed("top")
		for i := range 20 {
			heed("top", configMaps.Kind, fmt.Sprintf("n%d-%d", round, i))
		}
		heed("top", fmt.Sprintf("Gate%d", round), "open")
	}
	awaited("each look replaces the one before", 21)
	heed("other", configMaps.Kind, "n2-0")
	heed("other", configMaps.Kind, "n2-0")
	awaited("another application counts by itself, and once", 22)
	f.Forget("top")
	awaited("what has gone depends on nothing", 1)
	seen.take()
	apply(t, c, configMap(namespace, "n2-1", "", "x"))
	apply(t, c, configMap(namespace, "n2-0", "", "x"))
	told := func(name string) gitops.Change {
		return gitops.Change{Server: gitops.HubServer, Key: gitops.Key{Kind: "ConfigMap", Namespace: namespace, Name: name}}
	}
	embeddedtest.Eventually(t, func(context.Context) error { return seen.has(told("n2-0")) })
	if seen.has(told("n2-1")) == nil {
		t.Error("a change is told that nobody depends on any more")
	}
	f.Forget("other")
	awaited("nobody is left", 0)
	if n := len(f.asks.heeded); n != 0 {
		t.Errorf("%d applications are remembered", n)
	}
}

// TestKindsAreBounded has a cluster with other groups at each look, of which
// those before do not answer.
func TestKindsAreBounded(t *testing.T) {
	const rounds, each = 15, 5_000
	failed := map[schema.GroupVersion]error{}
	var known *kinds
	for round := range rounds {
		gv := schema.GroupVersion{Group: fmt.Sprintf("g%d.test", round), Version: "v1"}
		list := &metav1.APIResourceList{GroupVersion: gv.String()}
		for i := range each {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: fmt.Sprintf("kind%ds", i), Kind: fmt.Sprintf("Kind%d", i), Verbs: []string{"list", "watch"}})
		}
		list.APIResources = append(list.APIResources,
			metav1.APIResource{Name: strings.Repeat("n", 6<<10), Kind: "A"}, metav1.APIResource{Name: "b", Kind: strings.Repeat("K", 6<<10)}, metav1.APIResource{Name: "../c", Kind: "C"})
		group := &metav1.APIGroup{Name: gv.Group, PreferredVersion: metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: "v1"}}
		now := newKinds([]*metav1.APIGroup{group}, []*metav1.APIResourceList{list})
		if len(now.byKind) != each {
			t.Fatalf("%d kinds of one look; want %d, without those that nobody can ask for", len(now.byKind), each)
		}
		if known != nil {
			now.keep(known, failed)
		}
		failed[gv] = nil
		known = now
	}
	if len(known.byKind) != maxMapped || len(known.names) > maxMapped || len(known.watchable) > maxMapped {
		t.Errorf("%d kinds are kept, with %d names; want %d", len(known.byKind), len(known.names), maxMapped)
	}
}
