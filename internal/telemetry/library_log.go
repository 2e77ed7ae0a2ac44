package telemetry

import (
	"context"
	"log/slog"
)

// LibraryLog lets warnings and errors of the controller library through: what it tells of
// its own start and stop is of no use to a reader of the engine's log.
func LibraryLog(log slog.Handler) slog.Handler { return libraryLog{log} }

type libraryLog struct{ slog.Handler }

// Enabled implements slog.Handler.
func (l libraryLog) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && l.Handler.Enabled(ctx, level)
}

// WithAttrs implements slog.Handler.
func (l libraryLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return libraryLog{l.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (l libraryLog) WithGroup(name string) slog.Handler { return libraryLog{l.Handler.WithGroup(name)} }
