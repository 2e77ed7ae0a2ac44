// Package bulkhead shares a controller's workers among clusters and projects, so that those whose objects belong to a
// cluster that is slow, or to a team whose repositories are, do not take all of them. Who waits for a Git host or a
// render has no worker meanwhile, as long as there is room to wait.
package bulkhead

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/internal/seat"
)

// lots is how many may wait without a worker, for each worker.
const lots = 2

// Hands is how many a controller runs at a time: those that work, those that
// wait, and some that come back from waiting.
func Hands(workers int) int { return (lots + 2) * workers } //nolint:mnd // the workers themselves, and as many that come back

// Bulkhead knows who holds workers. It is safe for concurrent use.
type Bulkhead struct {
	wake func(types.NamespacedName)

	mu      sync.Mutex
	workers pool
	lot     pool
	// back are those that wait for a worker after they were away, in their order.
	back []*turn
	// parked are those that were sent away, in their order, each once.
	parked map[Owner][]types.NamespacedName
}

// New shares workers, and wakes who was sent away when there is room.
func New(workers int, wake func(types.NamespacedName)) *Bulkhead {
	return &Bulkhead{wake: wake, workers: newPool(workers), lot: newPool(lots * workers), parked: map[Owner][]types.NamespacedName{}}
}

// Guard lets requests through to a reconciler as long as those to whom they
// belong have room. One of nobody, ok false, is always let through.
func (b *Bulkhead) Guard(inner reconcile.Reconciler, owner func(context.Context, types.NamespacedName) (o Owner, ok bool)) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
		o, ok := owner(ctx, r.NamespacedName)
		if !ok {
			return inner.Reconcile(ctx, r)
		}
		if !b.enter(o, r.NamespacedName) {
			return reconcile.Result{}, nil
		}
		p := &place{bulkhead: b, owner: o, held: true}
		defer p.end()
		return inner.Reconcile(seat.With(ctx, p), r)
	})
}

// Parked counts those that wait for a worker, by their clusters.
func (b *Bulkhead) Parked() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make(map[string]int, len(b.parked))
	for o, names := range b.parked {
		out[o.Cluster] += len(names)
	}
	for _, t := range b.back {
		out[t.owner.Cluster]++
	}
	return out
}

func (b *Bulkhead) enter(o Owner, name types.NamespacedName) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	keys := o.keys()
	if b.workers.room(keys) > 0 {
		b.workers.take(keys)
		return true
	}
	if !slices.Contains(b.parked[o], name) {
		b.parked[o] = append(b.parked[o], name)
	}
	return false
}

// leave gives a worker back, to who comes back from waiting before others.
func (b *Bulkhead) leave(o Owner) {
	b.mu.Lock()
	b.workers.give(o.keys())
	woken := b.settle()
	b.mu.Unlock()
	b.ring(woken)
}

func (b *Bulkhead) ring(names []types.NamespacedName) {
	for _, name := range names {
		b.wake(name)
	}
}

// settle hands out what is free, and returns whom to wake. There is a later
// leave for those without room. The lock is held.
func (b *Bulkhead) settle() (woken []types.NamespacedName) {
	b.back = slices.DeleteFunc(b.back, func(t *turn) bool {
		keys := t.owner.keys()
		if b.workers.room(keys) == 0 {
			return false
		}
		b.workers.take(keys)
		close(t.granted)
		return true
	})
	left := b.workers.size - b.workers.used
	for o, names := range b.parked {
		n := min(b.workers.room(o.keys()), len(names), left)
		left -= n
		woken = append(woken, names[:n]...)
		if b.parked[o] = names[n:]; n == len(names) {
			delete(b.parked, o)
		}
	}
	return woken
}
