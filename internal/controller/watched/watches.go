// Package watched has the watches of objects of any kind for controllers whose own objects
// name them, which it wakes at each change. It carries metadata and names
// alone: what changed is read by the controller.
package watched

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/follow"
)

// mostWatches bounds how many targets are watched at a time.
const mostWatches = 2048

// Watcher watches at the API server.
type Watcher interface {
	Watch(ctx context.Context, list client.ObjectList, opts ...client.ListOption) (watch.Interface, error)
}

// Watches are those of the targets of one controller's objects, each target
// once, however many objects name it. They are safe for concurrent use.
type Watches struct {
	hub  Watcher
	ring func(types.NamespacedName)
	log  *slog.Logger
	most int

	mu sync.Mutex
	// ctx is that of Run; nil until it begins, and after it.
	ctx     context.Context //nolint:containedctx // watches live as long as Run
	wg      sync.WaitGroup
	users   map[Target]map[types.NamespacedName]bool
	running map[Target]context.CancelFunc
}

// New returns Watches that ring for what was changed. Run begins them.
func New(hub Watcher, ring func(types.NamespacedName), log *slog.Logger) *Watches {
	return &Watches{
		hub: hub, ring: ring, log: log, most: mostWatches,
		users: map[Target]map[types.NamespacedName]bool{}, running: map[Target]context.CancelFunc{},
	}
}

// Run watches until ctx ends, and waits for all watches to end.
func (w *Watches) Run(ctx context.Context) error {
	w.mu.Lock()
	w.ctx = ctx
	w.fill()
	w.mu.Unlock()
	<-ctx.Done()
	w.mu.Lock()
	w.ctx = nil
	w.mu.Unlock()
	w.wg.Wait()
	return nil
}

// Of says what an object names now. It is false where some of that is not
// watched because too much is: the object has to look by itself then.
func (w *Watches) Of(user types.NamespacedName, targets []Target) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := map[Target]bool{}
	for _, t := range targets {
		now[t] = true
		if w.users[t] == nil {
			w.users[t] = map[types.NamespacedName]bool{}
		}
		w.users[t][user] = true
	}
	w.leave(user, now)
	w.fill()
	return w.all(now)
}

// all reports whether targets are watched, or will be as soon as Run begins. The
// lock is held.
func (w *Watches) all(targets map[Target]bool) bool {
	if w.ctx == nil {
		return len(w.users) <= w.most
	}
	for t := range targets {
		if w.running[t] == nil {
			return false
		}
	}
	return true
}

// Forget ends the watches that nobody else needs than an object that is gone.
func (w *Watches) Forget(user types.NamespacedName) { w.Of(user, nil) }

// leave takes an object from the users of all targets but some. The lock is held.
func (w *Watches) leave(user types.NamespacedName, but map[Target]bool) {
	for t, users := range w.users {
		if but[t] || !users[user] {
			continue
		}
		if delete(users, user); len(users) > 0 {
			continue
		}
		delete(w.users, t)
		if stop := w.running[t]; stop != nil {
			stop()
			delete(w.running, t)
		}
	}
}

// fill begins the watches that are lacking, as far as there is room. The lock
// is held.
func (w *Watches) fill() {
	if w.ctx == nil || len(w.running) == len(w.users) {
		return
	}
	for t := range w.users {
		if len(w.running) >= w.most {
			return
		}
		if w.running[t] != nil {
			continue
		}
		ctx, cancel := context.WithCancel(w.ctx)
		w.running[t] = cancel
		w.wg.Go(func() { w.follow(ctx, t) })
	}
}

// follow watches a target again and again. Why it cannot is told once.
func (w *Watches) follow(ctx context.Context, t Target) {
	told := ""
	failed := func(err error) {
		if said := err.Error(); said != told {
			w.log.WarnContext(ctx, "changes are seen late", "of", t.String(), "error", err)
			told = said
		}
	}
	follow.Anew(ctx, func(ctx context.Context) (bool, error) {
		began := time.Now()
		err := crew.Safely(func() error { return w.watch(ctx, t) })
		if time.Since(began) <= follow.MaxPause {
			return false, err
		}
		// It was watched for long: whatever ended it is no reason for a longer pause.
		if err != nil && ctx.Err() == nil {
			failed(err)
		}
		told = ""
		return true, nil
	}, failed)
}

// watch rings at each change until the API server ends the watch. It begins
// with the objects as they are, so that nothing is missed between two watches
// but what was deleted: all are rung for that.
func (w *Watches) watch(ctx context.Context, t Target) error {
	which, err := t.options()
	if err != nil {
		return err
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(t.Kind.GroupVersion().WithKind(t.Kind.Kind + "List"))
	stream, err := w.hub.Watch(ctx, list, which...)
	if err != nil {
		return fmt.Errorf("cannot watch %s: %w", t, err)
	}
	defer stream.Stop()
	w.changed(t)
	for event := range stream.ResultChan() {
		if event.Type == watch.Error {
			return fmt.Errorf("cannot watch %s: %w", t, apierrors.FromObject(event.Object))
		}
		w.changed(t)
	}
	return nil
}

func (w *Watches) changed(t Target) {
	w.mu.Lock()
	users := slices.Collect(maps.Keys(w.users[t]))
	w.mu.Unlock()
	for _, user := range users {
		w.ring(user)
	}
}
