// Package wake lets one part of the engine ask a controller to look at
// objects again: after a commit, a change of a cluster, or drift.
//
// It carries names only. What changed is read from the caches, so a name that
// is rung twice is looked at once.
package wake

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Queue is the queue of a controller.
type Queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// Bell is a source of a controller that others ring. Names rung before the
// controller starts are kept for it. It is safe for concurrent use.
type Bell struct {
	mu      sync.Mutex
	queue   Queue
	waiting []types.NamespacedName // in the order of the rings, each once
}

// Start takes the controller's queue; controller-runtime calls it.
func (b *Bell) Start(_ context.Context, q Queue) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue = q
	for _, name := range b.waiting {
		q.Add(reconcile.Request{NamespacedName: name})
	}
	b.waiting = nil
	return nil
}

// Ring asks for a look at an object.
func (b *Bell) Ring(name types.NamespacedName) { b.RingAfter(name, 0) }

// Paced is Ring for what others cause as often as they like.
func (b *Bell) Paced(p *Pace[types.NamespacedName]) func(types.NamespacedName) {
	return func(name types.NamespacedName) { b.RingAfter(name, p.Pause(name, 0)) }
}

// RingAfter asks for a look after a pause, in which further rings are one.
func (b *Bell) RingAfter(name types.NamespacedName, pause time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.queue == nil {
		if !slices.Contains(b.waiting, name) {
			b.waiting = append(b.waiting, name)
		}
		return
	}
	b.queue.AddAfter(reconcile.Request{NamespacedName: name}, pause)
}
