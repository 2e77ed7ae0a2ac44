// Package logs brings the logs of etcd, Kubernetes and kwok, three libraries of three kinds, to one writer.
package logs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
	kwoklog "sigs.k8s.io/kwok/pkg/log"
)

// keep is how large the log of earlier runs may be, in bytes, before it is set aside.
const keep = 16 << 20

// Sink is where all logs of the process go.
type Sink struct {
	out       io.Writer
	close     func() error
	verbosity int
}

// ToStderr shows the logs where the process was started.
func ToStderr(verbosity int) (*Sink, error) {
	return open(os.Stderr, func() error { return nil }, verbosity)
}

// ToFile appends the logs to the file at path. One that has grown large is renamed to path.old first.
func ToFile(path string) (*Sink, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > keep {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, fmt.Errorf("cannot set the old log aside: %w", err)
		}
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open the log: %w", err)
	}
	return open(file, file.Close, 0)
}

func open(out io.Writer, closeOut func() error, verbosity int) (*Sink, error) {
	set := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(set)
	settings := map[string]string{
		"logtostderr": "false",
		"one_output":  "true", // else a warning is written as information too
		// Errors would go to standard error as well; FATAL is the one level left that ends the process anyway.
		"stderrthreshold": "FATAL",
		"v":               strconv.Itoa(verbosity),
	}
	for name, value := range settings {
		if err := set.Set(name, value); err != nil {
			return nil, errors.Join(fmt.Errorf("cannot set up logging: %w", err), closeOut())
		}
	}
	klog.SetOutput(out)
	return &Sink{out: out, close: closeOut, verbosity: verbosity}, nil
}

// Zap is the logger of etcd, which is talkative: below warnings only when asked for details.
func (s *Sink) Zap() *zap.Logger {
	level := zapcore.WarnLevel
	if s.verbosity >= 2 {
		level = zapcore.InfoLevel
	}
	encoder := zapcore.NewConsoleEncoder(zap.NewProductionEncoderConfig())
	return zap.New(zapcore.NewCore(encoder, zapcore.AddSync(s.out), level))
}

// Slog is the logger of what this process does itself.
func (s *Sink) Slog() *slog.Logger { return slog.New(slog.NewTextHandler(s.out, nil)) }

// Kwok puts the logger of kwok into the context.
func (s *Sink) Kwok(ctx context.Context) context.Context {
	level := slog.LevelWarn
	if s.verbosity >= 2 {
		level = slog.LevelInfo
	}
	return kwoklog.NewContext(ctx, kwoklog.NewLogger(s.out, level))
}

// Close writes out what is buffered. Components that are still stopping may log after it; their lines are dropped.
func (s *Sink) Close() error {
	klog.Flush()
	klog.SetOutput(io.Discard)
	return s.close()
}
