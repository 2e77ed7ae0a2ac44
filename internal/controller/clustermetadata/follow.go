package clustermetadata

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// mostWatches bounds how many objects are watched at a time. What is beyond is
// read when something else wakes its ClusterMetadata.
const mostWatches = 2048

// Pauses between two attempts to watch an object.
const (
	watchPause    = time.Second
	maxWatchPause = time.Minute
)

// follower watches the objects that values are taken from, each once, by name:
// the right to watch that name is enough. Events carry metadata alone.
type follower struct {
	hub  client.WithWatch
	ring func(types.NamespacedName)
	log  *slog.Logger

	mu sync.Mutex
	// ctx is that of run; nil until it begins.
	ctx     context.Context //nolint:containedctx // watches live as long as run
	wg      sync.WaitGroup
	users   map[key]map[types.NamespacedName]bool
	running map[key]context.CancelFunc
}

func newFollower(hub client.WithWatch, ring func(types.NamespacedName), log *slog.Logger) *follower {
	return &follower{hub: hub, ring: ring, log: log, users: map[key]map[types.NamespacedName]bool{}, running: map[key]context.CancelFunc{}}
}

// run watches until ctx ends, and waits for all watches to end.
func (f *follower) run(ctx context.Context) error {
	f.mu.Lock()
	f.ctx = ctx
	for k := range f.users {
		f.start(k)
	}
	f.mu.Unlock()
	<-ctx.Done()
	f.mu.Lock()
	f.ctx = nil
	f.mu.Unlock()
	f.wg.Wait()
	return nil
}

// of says which objects a ClusterMetadata takes values from now.
func (f *follower) of(user types.NamespacedName, keys []key) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := map[key]bool{}
	for _, k := range keys {
		now[k] = true
		if f.users[k] == nil {
			f.users[k] = map[types.NamespacedName]bool{}
		}
		f.users[k][user] = true
		f.start(k)
	}
	for k, users := range f.users {
		if now[k] || !users[user] {
			continue
		}
		if delete(users, user); len(users) > 0 {
			continue
		}
		delete(f.users, k)
		if stop := f.running[k]; stop != nil {
			stop()
			delete(f.running, k)
		}
	}
}

func (f *follower) forget(user types.NamespacedName) { f.of(user, nil) }

// start begins the watch of an object. The lock is held.
func (f *follower) start(k key) {
	if f.ctx == nil || f.running[k] != nil || len(f.running) >= mostWatches {
		return
	}
	ctx, cancel := context.WithCancel(f.ctx)
	f.running[k] = cancel
	f.wg.Go(func() { f.follow(ctx, k) })
}

func (f *follower) follow(ctx context.Context, k key) {
	pause := watchPause
	for ctx.Err() == nil {
		began := time.Now()
		if err := f.watch(ctx, k); err != nil && ctx.Err() == nil {
			f.log.WarnContext(ctx, "changes of a source of cluster metadata are seen late", "source", k.String(), "error", err)
			pause = min(2*pause, maxWatchPause)
		}
		if time.Since(began) > maxWatchPause {
			pause = watchPause
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// watch rings the users of an object at each change. It begins with the object
// as it is, so that nothing is missed between two watches.
func (f *follower) watch(ctx context.Context, k key) error {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(k.kind.GroupVersion().WithKind(k.kind.Kind + "List"))
	w, err := f.hub.Watch(ctx, list, client.InNamespace(k.name.Namespace), client.MatchingFields{metav1.ObjectNameField: k.name.Name})
	if err != nil {
		return fmt.Errorf("cannot watch %s: %w", k, err)
	}
	defer w.Stop()
	for range w.ResultChan() {
		f.changed(k)
	}
	return nil
}

func (f *follower) changed(k key) {
	f.mu.Lock()
	users := make([]types.NamespacedName, 0, len(f.users[k]))
	for user := range f.users[k] {
		users = append(users, user)
	}
	f.mu.Unlock()
	for _, user := range users {
		f.ring(user)
	}
}
