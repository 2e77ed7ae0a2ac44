package command

import (
	"context"
	"log/slog"
	"os"
	"sync/atomic"

	"k8s.io/klog/v2"
)

// kubeLog is where klog writes, from the start of the process: klog takes
// another logger only while nobody logs, and there may be an engine in this
// process.
var kubeLog = newRelay()

// relay hands records on to a handler that can be exchanged.
type relay struct{ to atomic.Pointer[slog.Handler] }

func newRelay() *relay {
	r := &relay{}
	r.set(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	klog.SetSlogLogger(slog.New(r))
	return r
}

func (r *relay) set(h slog.Handler) { r.to.Store(&h) }

func (r *relay) now() slog.Handler { return *r.to.Load() }

// Enabled implements slog.Handler.
func (r *relay) Enabled(ctx context.Context, level slog.Level) bool {
	return r.now().Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (r *relay) Handle(ctx context.Context, record slog.Record) error {
	return r.now().Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (r *relay) WithAttrs(attrs []slog.Attr) slog.Handler { return r.now().WithAttrs(attrs) }

// WithGroup implements slog.Handler.
func (r *relay) WithGroup(name string) slog.Handler { return r.now().WithGroup(name) }
