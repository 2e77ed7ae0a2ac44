package fleet

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/fleet/reply"
)

// source reads objects of one kind.
type source struct {
	list  func(context.Context, metav1.ListOptions) (items []metav1.Object, list metav1.ListInterface, err error)
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error)
}

// wholeSource lists whole objects, and watches them as text.
func (c *Cluster) wholeSource(m *meta.RESTMapping, namespace string) source {
	r := c.resource(m, namespace)
	watchAll := func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
		return watchText(ctx, c.raw, m, namespace, o)
	}
	return source{watch: watchAll, list: func(ctx context.Context, o metav1.ListOptions) ([]metav1.Object, metav1.ListInterface, error) {
		list, err := r.List(ctx, o)
		if err != nil {
			return nil, nil, err
		}
		items := make([]metav1.Object, len(list.Items))
		for i := range list.Items {
			items[i] = &list.Items[i]
		}
		return items, list, nil
	}}
}

func metadataSource(r metadata.ResourceInterface) source {
	return source{watch: r.Watch, list: func(ctx context.Context, o metav1.ListOptions) ([]metav1.Object, metav1.ListInterface, error) {
		list, err := r.List(ctx, o)
		if err != nil {
			return nil, nil, err
		}
		items := make([]metav1.Object, len(list.Items))
		for i := range list.Items {
			items[i] = &list.Items[i]
		}
		return items, list, nil
	}}
}

// sink takes what a watcher reads, from one goroutine.
type sink interface {
	begin()                                   // a complete list follows
	page(o metav1.Object)                     // one object of it
	end(resourceVersion string)               // it is complete
	event(t watch.EventType, o metav1.Object) // an object was added, modified or deleted
	gone()                                    // the kind is not served any more
}

// Bounds of lists and watches.
const (
	pageSize   = 500
	minWatch   = 5 * time.Minute
	firstPause = 100 * time.Millisecond
	lastPause  = 10 * time.Second
	refusedFor = 30 * time.Second
)

// watcher feeds a sink with all objects of a kind, and their changes, until
// its context ends or the kind is gone. It stands still while the cluster
// does not answer, and then goes on where it was.
type watcher struct {
	c    *Cluster
	from source
	to   sink
	what string // resource.group, such as deployments.apps
	page int64

	// revision is where to go on; only the watcher's goroutine uses it.
	revision string

	mu  sync.Mutex
	err error
	// again asks for a new list although the watch goes on.
	again chan struct{}
	// ready is closed at the first outcome, good or bad.
	ready  chan struct{}
	synced bool
}

func newWatcher(c *Cluster, from source, to sink, what string) *watcher {
	return &watcher{c: c, from: from, to: to, what: what, page: pageSize, again: make(chan struct{}, 1), ready: make(chan struct{})}
}

// run returns when ctx ends or the kind is gone.
func (w *watcher) run(ctx context.Context) {
	pause := firstPause
	for w.c.link.awaitUp(ctx) {
		start := time.Now()
		// An object that is a panic's cause is met again after each pause, and what
		// the watch has is as old as that: other kinds and clusters go on.
		err := crew.Safely(func() error { return w.once(ctx) })
		if ctx.Err() != nil {
			return
		}
		if w.isGone(ctx, err) {
			w.to.gone()
			w.settle(err)
			return
		}
		if time.Since(start) > lastPause {
			pause = firstPause
		}
		pause = w.after(ctx, err, pause)
	}
}

// isGone tells a kind that is not served any more from one that an API server
// which is just starting does not serve yet.
func (w *watcher) isGone(ctx context.Context, err error) bool {
	if !apierrors.IsNotFound(err) && !apierrors.IsMethodNotSupported(err) {
		return false
	}
	now, err := w.c.catalog.refresh(ctx)
	return err == nil && !now.names[w.what]
}

// after waits as an error asks for, and returns how long to wait next time.
func (w *watcher) after(ctx context.Context, err error, pause time.Duration) time.Duration {
	switch {
	case err == nil:
		return firstPause // the API server ends each watch at some time
	case apierrors.IsResourceExpired(err) || apierrors.IsGone(err):
		w.revision = ""
		sleep(ctx, jitter(pause))
		return min(2*pause, lastPause)
	case apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err):
		w.settle(err)
		w.c.link.kick()
		sleep(ctx, jitter(w.c.o.Refused))
		return firstPause
	}
	w.settle(err)
	w.c.link.kick()
	sleep(ctx, jitter(pause))
	return min(2*pause, lastPause)
}

// relist asks for all objects once more.
func (w *watcher) relist() {
	select {
	case w.again <- struct{}{}:
	default: // it was asked already
	}
}

// settle notes the outcome of the latest attempt.
func (w *watcher) settle(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
	if err == nil {
		w.synced = true
	}
	select {
	case <-w.ready:
	default:
		close(w.ready)
	}
}

// outcome waits for the first list, and returns why there is none. A watch
// that was complete once is served from memory: while the cluster is down,
// callers are told so before they come here.
func (w *watcher) outcome(ctx context.Context) error {
	select {
	case <-w.ready:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.synced && !apierrors.IsForbidden(w.err) && !apierrors.IsUnauthorized(w.err) {
		return nil
	}
	return w.err
}

func (w *watcher) once(ctx context.Context) error {
	if w.revision == "" {
		if err := w.list(ctx); err != nil {
			return err
		}
	}
	return w.follow(ctx)
}

// list reads page by page, so that only a page of full objects is held.
func (w *watcher) list(ctx context.Context) error {
	w.to.begin()
	var items []metav1.Object
	var revision string
	read := func(ctx context.Context, o metav1.ListOptions) (list metav1.ListInterface, err error) {
		items, list, err = w.from.list(ctx, o)
		return list, err
	}
	err := reply.Pages(ctx, w.page, read, func(list metav1.ListInterface) {
		for _, item := range items {
			w.to.page(item)
		}
		revision = list.GetResourceVersion()
	})
	if err != nil {
		return err
	}
	w.to.end(revision)
	w.revision = revision
	w.settle(nil)
	w.c.link.alive()
	return nil
}

func (w *watcher) follow(ctx context.Context) error {
	timeout := int64((minWatch + rand.N(minWatch)).Seconds()) //nolint:gosec // no secret
	events, err := w.from.watch(ctx, metav1.ListOptions{
		ResourceVersion: w.revision, AllowWatchBookmarks: true, TimeoutSeconds: &timeout,
	})
	if err != nil {
		return err
	}
	defer events.Stop()
	w.settle(nil)
	start, seen := time.Now(), false
	for open := true; open; {
		var e watch.Event
		select {
		case <-w.again:
			w.revision = ""
			return nil
		case e, open = <-events.ResultChan():
		}
		if !open {
			break
		}
		if err := w.take(e); err != nil {
			return err
		}
		seen = true
	}
	if !seen && time.Since(start) < time.Second && ctx.Err() == nil {
		return errors.New("the watch ended at once")
	}
	return nil
}

func (w *watcher) take(e watch.Event) error {
	if e.Type == watch.Error {
		return apierrors.FromObject(e.Object)
	}
	o, ok := e.Object.(metav1.Object)
	if !ok {
		return errors.New("the watch sent an event without an object")
	}
	if e.Type != watch.Bookmark {
		w.to.event(e.Type, o)
	}
	w.revision = o.GetResourceVersion()
	return nil
}
