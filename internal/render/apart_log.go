package render

import (
	"context"
	"log/slog"
	"sync"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	// mostLogged bounds the messages of one render, mostLoggedText each text in
	// them, in bytes: the stack of a panic is one.
	mostLogged     = 32
	mostLoggedText = 16 << 10
	// mostAttributes bounds the names and values of a message.
	mostAttributes = 32
)

// logged is a message that a worker has for the engine's log.
type logged struct {
	Level   slog.Level
	Message string
	// Attributes are names and values, one after the other.
	Attributes []string
}

func (l logged) log(to *slog.Logger) {
	attributes := make([]any, 0, min(len(l.Attributes), mostAttributes))
	for _, a := range l.Attributes[:cap(attributes)] {
		attributes = append(attributes, gitops.First(a, mostLoggedText))
	}
	to.Log(context.Background(), l.Level, gitops.First(l.Message, mostLoggedText), attributes...)
}

// logbook is a slog.Handler that keeps messages for the engine.
type logbook struct {
	mu   sync.Mutex
	kept []logged
}

var _ slog.Handler = (*logbook)(nil)

func (b *logbook) take() []logged {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.kept
	b.kept = nil
	return out
}

// Enabled implements slog.Handler.
func (*logbook) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }

// Handle implements slog.Handler.
func (b *logbook) Handle(_ context.Context, r slog.Record) error {
	l := logged{Level: r.Level, Message: gitops.First(r.Message, mostLoggedText)}
	r.Attrs(func(a slog.Attr) bool {
		l.Attributes = append(l.Attributes, a.Key, gitops.First(a.Value.String(), mostLoggedText))
		return true
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.kept) < mostLogged {
		b.kept = append(b.kept, l)
	}
	return nil
}

// WithAttrs implements slog.Handler. A render's messages have theirs.
func (b *logbook) WithAttrs([]slog.Attr) slog.Handler { return b }

// WithGroup implements slog.Handler.
func (b *logbook) WithGroup(string) slog.Handler { return b }
