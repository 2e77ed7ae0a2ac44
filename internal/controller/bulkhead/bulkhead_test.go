package bulkhead

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestRoom fills a bulkhead with requests that never end, cluster by cluster.
func TestRoom(t *testing.T) {
	cases := map[string]struct {
		reason  string
		workers int
		enter   []string // each as often as it gets in
		want    map[string]int
	}{
		"Alone": {"one cluster gets three quarters", 32, []string{"a"}, map[string]int{"a": 24}},
		"Two":   {"a second slow one gets three quarters of the rest", 32, []string{"a", "b"}, map[string]int{"a": 24, "b": 6}},
		"Three": {"there is room for a third", 32, []string{"a", "b", "c"}, map[string]int{"a": 24, "b": 6, "c": 2}},
		"Few":   {"few workers leave one", 4, []string{"a", "b"}, map[string]int{"a": 3, "b": 1}},
		"Least": {"one worker is anybody's", 1, []string{"a"}, map[string]int{"a": 1}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := New(tc.workers, func(types.NamespacedName) {})
			for _, key := range tc.enter {
				for b.enter(key, types.NamespacedName{Name: "x"}) {
				}
			}
			if diff := cmp.Diff(tc.want, b.held); diff != "" {
				t.Errorf("%s:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestParkedComeBack runs more requests of a slow cluster than it may have
// workers; each is looked at in the end, and others are never in the way.
func TestParkedComeBack(t *testing.T) {
	const workers, slow = 4, 50
	queue := make(chan types.NamespacedName, 10*slow)
	b := New(workers, func(n types.NamespacedName) { queue <- n })
	release, done := make(chan struct{}), make(chan string, 2*slow)
	guarded := b.Guard(reconcile.Func(func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
		if strings.HasPrefix(r.Name, "slow") {
			<-release
		}
		done <- r.Name
		return reconcile.Result{}, nil
	}), func(_ context.Context, n types.NamespacedName) string { return n.Name[:4] })
	for range workers {
		go func() {
			for name := range queue {
				_, _ = guarded.Reconcile(t.Context(), reconcile.Request{NamespacedName: name})
			}
		}()
	}
	for i := range slow {
		queue <- types.NamespacedName{Name: fmt.Sprintf("slow-%d", i)}
	}
	for i := range slow {
		queue <- types.NamespacedName{Name: fmt.Sprintf("fast-%d", i)}
	}
	for range slow { // all of the fast ones, although the slow ones came first
		if name := <-done; !strings.HasPrefix(name, "fast") {
			t.Fatalf("%s is done", name)
		}
	}
	if n := b.Parked()["slow"]; n != slow-3 {
		t.Errorf("%d are parked; want all but three", n)
	}
	close(release)
	seen := map[string]bool{}
	for len(seen) < slow {
		seen[<-done] = true
	}
	close(queue)
}
