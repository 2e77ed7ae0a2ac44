// Package backlog is the queue of a controller: controller-runtime's, which
// hands out first what changed and then what was listed at the start, and
// which can be shut down at any moment.
//
// The library's queue hands an item over while it holds its lock. One that
// waits for an item leaves when the queue is shut down, and the hand-over
// waits for it forever if it had begun: controllers that are busy when they
// are told to end then never do
// (https://github.com/kubernetes-sigs/controller-runtime/issues/3538; the
// library's v0.25 has it mended). Here nobody who waits leaves without an
// item: those who wait at the end are given one that means nothing.
package backlog

import (
	"math"
	"strconv"
	"sync"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Backlog is the queue of one controller. It is safe for concurrent use.
type Backlog struct {
	priorityqueue.PriorityQueue[reconcile.Request]

	mu      sync.Mutex
	waiting int // those who are in the library's Get
	closed  bool
}

// New makes the queue of a controller; a controller takes it as NewQueue.
func New(controller string, limit workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return &Backlog{PriorityQueue: priorityqueue.New(controller, func(o *priorityqueue.Opts[reconcile.Request]) { o.RateLimiter = limit })}
}

// Get waits for an item, or for the end.
func (b *Backlog) Get() (reconcile.Request, bool) {
	item, _, ended := b.GetWithPriority()
	return item, ended
}

// GetWithPriority waits for an item, or for the end.
func (b *Backlog) GetWithPriority() (item reconcile.Request, priority int, ended bool) {
	if !b.enter() {
		return reconcile.Request{}, 0, true
	}
	item, priority, ended = b.PriorityQueue.GetWithPriority()
	if b.leave() || ended {
		return reconcile.Request{}, 0, true
	}
	return item, priority, false
}

// ShutDown lets those who wait go, and hands out nothing more.
func (b *Backlog) ShutDown() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.closed = true
	if b.waiting == 0 {
		b.PriorityQueue.ShutDown()
		return
	}
	before := math.MaxInt
	for i := range b.waiting {
		b.AddWithOpts(priorityqueue.AddOpts{Priority: &before}, ending(i))
	}
}

// ShutDownWithDrain is ShutDown: a controller does not use it.
func (b *Backlog) ShutDownWithDrain() { b.ShutDown() }

// ShuttingDown reports whether the end has begun.
func (b *Backlog) ShuttingDown() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// enter counts one who waits, if the end has not begun.
func (b *Backlog) enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.waiting++
	return true
}

// leave reports whether the end has begun; the last one who waited closes.
func (b *Backlog) leave() (closed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting--
	if b.closed && b.waiting == 0 {
		b.PriorityQueue.ShutDown()
	}
	return b.closed
}

// ending is an item that means nothing: no object has such a name.
func ending(i int) (r reconcile.Request) {
	r.Name = "\x00" + strconv.Itoa(i)
	return r
}
