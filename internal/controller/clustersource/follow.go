package clustersource

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Pauses between two attempts to watch.
const (
	watchPause    = time.Second
	maxWatchPause = time.Minute
)

// follower watches the Secrets that sources select, one watch a source and
// namespace. Events carry metadata alone, and wake the source.
type follower struct {
	hub  client.WithWatch
	ring func(types.NamespacedName)
	log  *slog.Logger

	mu sync.Mutex
	// ctx is that of run; nil until it begins, and after it.
	ctx     context.Context //nolint:containedctx // watches live as long as run
	wg      sync.WaitGroup
	scopes  map[types.NamespacedName]scope
	running map[types.NamespacedName]following
}

type following struct {
	what   string
	cancel context.CancelFunc
}

func newFollower(hub client.WithWatch, ring func(types.NamespacedName), log *slog.Logger) *follower {
	return &follower{hub: hub, ring: ring, log: log, scopes: map[types.NamespacedName]scope{}, running: map[types.NamespacedName]following{}}
}

// run watches until ctx ends, and waits for all watches to end.
func (f *follower) run(ctx context.Context) error {
	f.mu.Lock()
	f.ctx = ctx
	for name, s := range f.scopes {
		f.start(name, s)
	}
	f.mu.Unlock()
	<-ctx.Done()
	f.mu.Lock()
	f.ctx = nil
	f.mu.Unlock()
	f.wg.Wait()
	return nil
}

// of says where a source looks now.
func (f *follower) of(source types.NamespacedName, s scope) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.scopes[source] = s
	f.start(source, s)
}

func (f *follower) forget(source types.NamespacedName) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.scopes, source)
	if now, ok := f.running[source]; ok {
		now.cancel()
		delete(f.running, source)
	}
}

// start begins the watches of a source, unless they run. The lock is held.
func (f *follower) start(source types.NamespacedName, s scope) {
	what := strings.Join(s.namespaces, ",") + " " + s.secrets.String()
	now, ok := f.running[source]
	if f.ctx == nil || ok && now.what == what {
		return
	}
	if ok {
		now.cancel()
	}
	ctx, cancel := context.WithCancel(f.ctx)
	f.running[source] = following{what, cancel}
	for _, namespace := range s.namespaces {
		f.wg.Go(func() { f.follow(ctx, source, namespace, s.secrets) })
	}
}

func (f *follower) follow(ctx context.Context, source types.NamespacedName, namespace string, which labels.Selector) {
	pause := watchPause
	for ctx.Err() == nil {
		began := time.Now()
		w, err := f.watch(ctx, namespace, which)
		if err == nil {
			f.pass(w, source)
			w.Stop()
		}
		if err != nil && ctx.Err() == nil {
			f.log.WarnContext(ctx, "changes of kubeconfigs are seen late", "source", source.Name, "namespace", namespace, "error", err)
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

// watch begins with the Secrets as they are, so that nothing is missed between
// two watches but what was deleted: each source is woken for that.
func (f *follower) watch(ctx context.Context, namespace string, which labels.Selector) (watch.Interface, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	return f.hub.Watch(ctx, list, client.InNamespace(namespace), client.MatchingLabelsSelector{Selector: which})
}

func (f *follower) pass(w watch.Interface, source types.NamespacedName) {
	f.ring(source)
	for range w.ResultChan() {
		f.ring(source)
	}
}
