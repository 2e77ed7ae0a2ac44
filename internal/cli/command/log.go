package command

import (
	"context"
	"fmt"
	"io"
	stdlog "log"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// LogTo makes the process's log. Kubernetes libraries write to it too, and what is
// given no log, such as crew; they would otherwise print into the terminal.
func LogTo(out io.Writer, format string, level slog.Level) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: level}
	var handler slog.Handler
	switch format {
	case "text":
		handler = slog.NewTextHandler(out, options)
	case "json":
		handler = slog.NewJSONHandler(out, options)
	default:
		return nil, Usagef("cannot log as %q: use text or json", format)
	}
	logger := slog.New(handler)
	kubeLog.set(handler)
	stdlog.SetFlags(stdlog.Lshortfile) // so that whoever logs by it is known
	slog.SetDefault(slog.New(discreet{handler}))
	log.SetLogger(logr.FromSlogHandler(handler))
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	return logger, nil
}

// discreet leaves out what Helm's library says by itself: it tells values at full
// length, also such as were decrypted, and what it says of charts is said in errors.
type discreet struct{ slog.Handler }

// Handle implements slog.Handler.
func (d discreet) Handle(ctx context.Context, r slog.Record) error {
	if frame, _ := runtime.CallersFrames([]uintptr{r.PC}).Next(); strings.HasPrefix(frame.Function, "helm.sh/helm/") {
		return nil
	}
	return d.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (d discreet) WithAttrs(attrs []slog.Attr) slog.Handler {
	return discreet{d.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (d discreet) WithGroup(name string) slog.Handler { return discreet{d.Handler.WithGroup(name)} }

// LogFile opens the log of a local fleet. Each start begins a new one; that of
// the start before is kept, to tell why it ended.
func LogFile(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the log: %w", err)
	}
	if err := IgnoreMissing(os.Rename(path, path+".1")); err != nil {
		return nil, fmt.Errorf("cannot keep the last log: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open the log: %w", err)
	}
	return f, nil
}
