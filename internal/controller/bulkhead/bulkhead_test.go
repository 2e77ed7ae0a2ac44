package bulkhead

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/internal/seat"
)

// TestRoom fills a bulkhead with requests that never end, owner by owner.
func TestRoom(t *testing.T) {
	red := func(cluster string) Owner { return Owner{cluster, "red"} }
	cases := map[string]struct {
		reason  string
		workers int
		enter   []Owner // each as often as it gets in
		want    []int
	}{
		"Alone":    {"one project gets half of them for one cluster", 48, []Owner{red("a")}, []int{24}},
		"Clusters": {"another one has room, until the project has three quarters", 48, []Owner{red("a"), red("b"), red("c")}, []int{24, 12, 0}},
		"Projects": {"another project has room on the cluster, and those of other clusters always", 48, []Owner{red("a"), {"a", "blue"}, {"b", "blue"}, {"c", "green"}}, []int{24, 12, 6, 3}},
		"Few":      {"few workers leave one", 4, []Owner{red("a"), red("b"), {"a", "blue"}}, []int{2, 1, 1}},
		"Least":    {"one worker is anybody's", 1, []Owner{red("a")}, []int{1}},
		"NoPlace":  {"what leads to no cluster has the project's share", 48, []Owner{red(""), {"", "blue"}}, []int{36, 9}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := New(tc.workers, func(types.NamespacedName) {})
			got := make([]int, len(tc.enter))
			for i, o := range tc.enter {
				for b.enter(o, types.NamespacedName{Name: "x"}) {
					got[i]++
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s:\n%s", tc.reason, diff)
			}
		})
	}
}

// hands run what a queue has through a bulkhead, as a controller does.
func hands(t *testing.T, workers int, work func(ctx context.Context, name string) error) (b *Bulkhead, queue chan types.NamespacedName) {
	queue = make(chan types.NamespacedName, 10000)
	b = New(workers, func(n types.NamespacedName) { queue <- n })
	guarded := b.Guard(reconcile.Func(func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
		return reconcile.Result{}, work(ctx, r.Name)
	}), func(_ context.Context, n types.NamespacedName) (Owner, bool) {
		return Owner{n.Namespace, n.Name[:4]}, true
	})
	for range Hands(workers) {
		go func() {
			for {
				select {
				case name := <-queue:
					_, _ = guarded.Reconcile(t.Context(), reconcile.Request{NamespacedName: name})
				case <-t.Context().Done():
					return
				}
			}
		}()
	}
	return b, queue
}

// TestParkedComeBack runs more requests of a slow cluster than it may have
// workers; each is looked at in the end, and others are never in the way.
func TestParkedComeBack(t *testing.T) {
	const workers, slow = 4, 50
	release, done := make(chan struct{}), make(chan string, 2*slow)
	var held atomic.Int32
	_, queue := hands(t, workers, func(_ context.Context, name string) error {
		if strings.HasPrefix(name, "slow") {
			held.Add(1)
			<-release
		}
		done <- name
		return nil
	})
	for i := range slow {
		queue <- types.NamespacedName{Namespace: "sick", Name: fmt.Sprintf("slow-%d", i)}
	}
	for i := range slow {
		queue <- types.NamespacedName{Namespace: "well", Name: fmt.Sprintf("fast-%d", i)}
	}
	for range slow { // all of the fast ones, although the slow ones came first
		if name := <-done; !strings.HasPrefix(name, "fast") {
			t.Fatalf("%s is done", name)
		}
	}
	if n := held.Load(); n > workers/2 {
		t.Errorf("%d of them have a worker; want half of the workers at most", n)
	}
	close(release)
	seen := map[string]bool{}
	for len(seen) < slow {
		seen[<-done] = true
	}
}

// TestHostThatHangs has many more that wait for a host than there are workers:
// they have none meanwhile, and all of them come back in the end.
func TestHostThatHangs(t *testing.T) {
	const workers, silent = 4, 100
	release, done := make(chan struct{}), make(chan string, 2*silent)
	waiting := make(chan struct{}, silent)
	b, queue := hands(t, workers, func(ctx context.Context, name string) error {
		_, err := seat.Away(ctx, "git.example.com", func(context.Context) (string, error) {
			if strings.HasPrefix(name, "slow") {
				waiting <- struct{}{}
				<-release
			}
			return name, nil
		})
		done <- name
		return err
	})
	for i := range silent {
		queue <- types.NamespacedName{Namespace: "a", Name: fmt.Sprintf("slow-%d", i)}
	}
	for range lots*workers/2 + workers/2 { // half of the room to wait, and half of the workers
		<-waiting
	}
	for i := range silent {
		queue <- types.NamespacedName{Namespace: "a", Name: fmt.Sprintf("fast-%d", i)}
	}
	for range silent {
		if name := <-done; !strings.HasPrefix(name, "fast") {
			t.Fatalf("%s is done", name)
		}
	}
	close(release)
	seen := map[string]bool{}
	for len(seen) < silent {
		seen[<-done] = true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.parked) != 0 || len(b.back) != 0 {
		t.Errorf("somebody is left: %v, %v", b.parked, b.back)
	}
}

// TestComesBackAtItsEnd has one that waits for its worker end with its
// context, and nothing is lost of the workers.
func TestComesBackAtItsEnd(t *testing.T) {
	b := New(1, func(types.NamespacedName) {})
	red, blue := Owner{"a", "red"}, Owner{"a", "blue"}
	if !b.enter(red, types.NamespacedName{Name: "x"}) {
		t.Fatal("there is no room")
	}
	p := &place{bulkhead: b, owner: red, held: true}
	ctx, cancel := context.WithCancel(t.Context())
	err := p.Away(ctx, "h", func() error {
		if !b.enter(blue, types.NamespacedName{Name: "y"}) {
			t.Error("who waits keeps its worker")
		}
		cancel()
		return nil
	})
	if err == nil {
		t.Error("it has a worker that another one has")
	}
	p.end()
	b.leave(blue)
	if b.workers.used != 0 || b.lot.used != 0 || len(b.workers.held) != 0 || len(b.lot.held) != 0 {
		t.Errorf("something is left: %+v, %+v", b.workers, b.lot)
	}
	if err := p.resume(t.Context()); err != nil || b.workers.used != 0 {
		t.Errorf("who has ended takes a worker: %v", err)
	}
}
