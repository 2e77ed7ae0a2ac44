package cli

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// logTo makes the process's log. Kubernetes libraries write to it too, and what is
// given no log, such as crew; they would otherwise print into the terminal.
func logTo(out io.Writer, format string, level slog.Level) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: level}
	var handler slog.Handler
	switch format {
	case "text":
		handler = slog.NewTextHandler(out, options)
	case "json":
		handler = slog.NewJSONHandler(out, options)
	default:
		return nil, usagef("cannot log as %q: use text or json", format)
	}
	logger := slog.New(handler)
	kubeLog.set(handler)
	slog.SetDefault(logger)
	log.SetLogger(logr.FromSlogHandler(handler))
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	return logger, nil
}

// logFile opens the log of a local fleet. Each start begins a new one; that of
// the start before is kept, to tell why it ended.
func logFile(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the log: %w", err)
	}
	if err := ignoreMissing(os.Rename(path, path+".1")); err != nil {
		return nil, fmt.Errorf("cannot keep the last log: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open the log: %w", err)
	}
	return f, nil
}
