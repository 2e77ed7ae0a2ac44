// Package bulkhead shares a controller's workers among clusters, so that those
// whose objects belong to a cluster that is slow do not take all of them.
//
// A cluster may have three times as many workers as are free. One that is
// alone gets three quarters of them; the more there are that hold many, the
// less each gets, and some are always left for one that holds none.
package bulkhead

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// share is how many times the free workers a cluster may hold.
const share = 3

// Bulkhead knows who holds workers. It is safe for concurrent use.
type Bulkhead struct {
	workers int
	wake    func(types.NamespacedName)

	mu    sync.Mutex
	held  map[string]int
	total int
	// parked are those that were sent away, in their order, each once.
	parked map[string][]types.NamespacedName
}

// New shares workers, and wakes who was sent away when there is room.
func New(workers int, wake func(types.NamespacedName)) *Bulkhead {
	return &Bulkhead{workers: workers, wake: wake, held: map[string]int{}, parked: map[string][]types.NamespacedName{}}
}

// Guard lets requests through to a reconciler as long as their cluster has
// room. One without a cluster is always let through.
func (b *Bulkhead) Guard(inner reconcile.Reconciler, cluster func(context.Context, types.NamespacedName) string) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
		key := cluster(ctx, r.NamespacedName)
		if key == "" {
			return inner.Reconcile(ctx, r)
		}
		if !b.enter(key, r.NamespacedName) {
			return reconcile.Result{}, nil
		}
		defer b.leave(key)
		return inner.Reconcile(ctx, r)
	})
}

// Parked counts those that wait for room.
func (b *Bulkhead) Parked() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make(map[string]int, len(b.parked))
	for key, names := range b.parked {
		out[key] = len(names)
	}
	return out
}

// room is how many workers more a cluster may hold; the lock is held.
func (b *Bulkhead) room(key string) int {
	held := b.held[key]
	if held == 0 {
		return 1
	}
	most := min(share*(b.workers-b.total), b.workers-1)
	return max(most-held, 0)
}

func (b *Bulkhead) enter(key string, name types.NamespacedName) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.room(key) == 0 {
		b.park(key, name)
		return false
	}
	b.held[key]++
	b.total++
	return true
}

func (b *Bulkhead) park(key string, name types.NamespacedName) {
	for _, other := range b.parked[key] {
		if other == name {
			return
		}
	}
	b.parked[key] = append(b.parked[key], name)
}

// leave gives a worker back, and wakes as many of each cluster as there is
// room for. There is a later leave for those of a cluster without room.
func (b *Bulkhead) leave(key string) {
	for _, name := range b.free(key) {
		b.wake(name)
	}
}

func (b *Bulkhead) free(key string) []types.NamespacedName {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.total--
	if b.held[key]--; b.held[key] == 0 {
		delete(b.held, key)
	}
	var out []types.NamespacedName
	for key, names := range b.parked {
		n := min(b.room(key), len(names))
		out = append(out, names[:n]...)
		if b.parked[key] = names[n:]; n == len(names) {
			delete(b.parked, key)
		}
	}
	return out
}
