package operate

import (
	"context"
	"slices"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	apiclient "github.com/causeway-gitops/causeway/internal/client"
)

// few is how many applications are read one by one; more come in a list.
const few = 16

// Pauses of those who wait.
const (
	// listenAgain is the pause before a stream that has ended is opened again.
	listenAgain = time.Second
	// unheard is when a server is asked although it has told of no change: how long
	// something lasts is judged, too, and a stream may be open and dead.
	unheard = 10 * time.Second
)

// read reads applications anew. Those that are not there, or were made again, are nil.
func (w *waiting) read(ctx context.Context, due []*awaited) error {
	found := map[client.ObjectKey]*v1alpha1.Application{}
	get := w.each
	if len(due) > few {
		get = w.lists
	}
	if err := get(ctx, due, found); err != nil {
		return err
	}
	for _, one := range due {
		one.app = found[one.key]
		if one.app != nil && string(one.app.UID) != one.uid {
			one.app = nil
		}
	}
	return nil
}

func (w *waiting) each(ctx context.Context, due []*awaited, into map[client.ObjectKey]*v1alpha1.Application) error {
	for _, one := range due {
		app := &v1alpha1.Application{}
		err := w.hub.Client.Get(ctx, one.key, app)
		switch {
		case err == nil:
			into[one.key] = app
		case !target.IsMissing(err):
			return err
		}
	}
	return nil
}

func (w *waiting) lists(ctx context.Context, due []*awaited, into map[client.ObjectKey]*v1alpha1.Application) error {
	var namespaces []string
	for _, one := range due {
		if !slices.Contains(namespaces, one.key.Namespace) {
			namespaces = append(namespaces, one.key.Namespace)
		}
	}
	for _, namespace := range namespaces {
		list := &v1alpha1.ApplicationList{}
		if err := w.hub.Client.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return err
		}
		for i := range list.Items {
			into[client.ObjectKeyFromObject(&list.Items[i])] = &list.Items[i]
		}
	}
	return nil
}

// feed gives what waits for the next change of applications. A hub is asked
// again and again; a server tells by itself. The caller stops it.
func feed(ctx context.Context, h *target.Hub, applications int) (next func(context.Context) (apiclient.Change, error), stop func()) {
	if h.Server != nil {
		return heard(ctx, h)
	}
	pause := command.FollowPause
	if applications > few {
		pause = command.WatchPause
	}
	return func(ctx context.Context) (apiclient.Change, error) {
		return everything, command.Sleep(ctx, pause)
	}, func() {}
}

// heard listens to a server until it is stopped.
func heard(ctx context.Context, h *target.Hub) (next func(context.Context) (apiclient.Change, error), stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	b := &board{bell: make(chan struct{}, 1)}
	var listening sync.WaitGroup
	listening.Go(func() {
		for ctx.Err() == nil {
			_ = h.Server.Follow(ctx, b.put) // whatever ended it: applications are read all the same
			_ = command.Sleep(ctx, listenAgain)
		}
	})
	next = func(ctx context.Context) (apiclient.Change, error) {
		select {
		case <-ctx.Done():
			return apiclient.Change{}, ctx.Err()
		case <-b.bell:
			return b.take(), nil
		case <-time.After(unheard):
			return everything, nil
		}
	}
	return next, func() {
		cancel()
		listening.Wait()
	}
}

// board keeps changes until somebody looks.
type board struct {
	bell chan struct{}

	mu   sync.Mutex
	news apiclient.Change
}

func (b *board) put(c apiclient.Change) {
	b.mu.Lock()
	b.news.All = b.news.All || c.All
	b.news.Keys = append(b.news.Keys, c.Keys...)
	b.mu.Unlock()
	select {
	case b.bell <- struct{}{}:
	default: // it has rung already
	}
}

func (b *board) take() apiclient.Change {
	b.mu.Lock()
	defer b.mu.Unlock()
	news := b.news
	b.news = apiclient.Change{}
	return news
}
