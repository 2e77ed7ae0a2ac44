package chronicle

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/store"
)

// Config says where the history of syncs is kept.
type Config struct {
	// Off keeps none.
	Off bool
	// URL is a file or postgres://…; File in the cache folder when empty.
	URL    string
	Limits store.Limits
}

// Options of a Chronicle.
type Options struct {
	Config

	// CacheDir has the history where no URL says otherwise.
	CacheDir string
	// Hub and Namespace are where the Secret is, Scheme has its kind.
	Hub       *rest.Config
	Namespace string
	Scheme    *runtime.Scheme
	Metrics   *prometheus.Registry
	// PerApplication counts the syncs of each application by itself, too.
	PerApplication bool
	Log            *slog.Logger
}

// Chronicle takes what an engine did. It is safe for concurrent use.
type Chronicle struct {
	// Store is nil where none is kept.
	Store *store.Store
	// Seal tells what this installation wrote into operations.
	Seal *operation.Seal

	o Options
	// unaudited is what happened by itself without an audit that could be opened.
	unaudited atomic.Int64
	counts    counts
}

// Open opens the store. An engine whose history cannot be kept runs without one: only
// what the user wrote wrongly is an error.
func Open(ctx context.Context, o Options) (*Chronicle, error) {
	c := &Chronicle{o: o, Seal: operation.NewSeal(nil), counts: newCounts(o)}
	if o.Off {
		return c, nil
	}
	key, err := c.key(ctx)
	if err != nil {
		o.Log.ErrorContext(ctx, "no history is kept", "error", err)
		o.Metrics.MustRegister(prometheus.NewCounterFunc(auditLost, func() float64 { return float64(c.unaudited.Load()) }))
		return c, nil
	}
	c.Seal = operation.NewSeal(key.Derive("operations"))
	c.Store, err = store.New(store.Options{
		URL: cmp.Or(o.URL, filepath.Join(o.CacheDir, File)), Key: key, Limits: o.Limits, Log: o.Log, Whose: auth.Asker,
	})
	if err != nil {
		return nil, err
	}
	o.Metrics.MustRegister(ofStore(c.Store)...)
	return c, nil
}

// OpenFile reads a history that an engine of this machine writes: a file with its key
// beside it.
func OpenFile(path, keyPath string) (*store.Store, error) {
	key, err := store.FileKey(keyPath)
	if err != nil {
		return nil, err
	}
	return store.New(store.Options{URL: path, Key: key, Kept: true})
}

// Run writes until ctx ends.
func (c *Chronicle) Run(ctx context.Context) error {
	if c.Store == nil {
		return nil
	}
	return c.Store.Run(ctx)
}

// Close writes what is left.
func (c *Chronicle) Close(ctx context.Context) {
	if c.Store == nil {
		return
	}
	if err := c.Store.Close(); err != nil {
		c.o.Log.WarnContext(ctx, "cannot close the history", "error", err)
	}
}
