package crew_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/causeway-gitops/causeway/internal/crew"
)

// logged has the process's log written into a buffer.
func logged(t *testing.T) *bytes.Buffer {
	t.Helper()
	out, before := &bytes.Buffer{}, slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(out, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return out
}

const written = "what a user wrote"

func breaks() error { panic(errors.New(written)) }

func TestSafely(t *testing.T) {
	ordinary := errors.New("an ordinary error")
	for name, tc := range map[string]struct {
		reason string
		do     func() error
		want   string
	}{
		"Nothing":  {"what goes well stays so", func() error { return nil }, ""},
		"Error":    {"an error stays itself", func() error { return ordinary }, "an ordinary error"},
		"Value":    {"a value that is an error", breaks, "*errors.errorString"},
		"Text":     {"a value that is a text", func() error { panic(written) }, "(string)"},
		"Nil":      {"a panic without a value is one", func() error { panic(nil) }, "*runtime.PanicNilError"},
		"Language": {"a fault that Go finds", func() error { return []error(nil)[len(written)] }, "runtime."},
	} {
		t.Run(name, func(t *testing.T) {
			out := logged(t)
			err := crew.Safely(tc.do)
			if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("%s: %v, want %q", tc.reason, err, tc.want)
			}
			var broke *crew.Panic
			if !errors.As(err, &broke) {
				if out.Len() > 0 {
					t.Errorf("%s: it logs %s", tc.reason, out)
				}
				return
			}
			if text := err.Error() + out.String(); strings.Contains(text, written) {
				t.Errorf("%s: the value is told: %s", tc.reason, text)
			}
			if log := out.String(); !strings.Contains(log, "level=ERROR") || !strings.Contains(log, "crew_test.go") {
				t.Errorf("%s: the log has no stack: %s", tc.reason, log)
			}
		})
	}
}

func TestGroupAfterPanic(t *testing.T) {
	logged(t)
	var g crew.Group
	g.SetLimit(1)
	var done atomic.Int32
	for range 3 {
		g.Go(breaks) // each gives its place back
		g.Go(func() error { done.Add(1); return nil })
	}
	var broke *crew.Panic
	if err := g.Wait(); !errors.As(err, &broke) || done.Load() != 3 {
		t.Errorf("Wait says %v after %d of 3, want all, and the panic", err, done.Load())
	}
}

func TestPanicEndsContext(t *testing.T) {
	logged(t)
	g, ctx := crew.WithContext(t.Context())
	g.Go(breaks)
	g.Go(func() error { <-ctx.Done(); return ctx.Err() })
	err := g.Wait()
	var broke *crew.Panic
	if !errors.As(err, &broke) || !errors.Is(context.Cause(ctx), err) {
		t.Errorf("Wait says %v and the context ended by %v, want the panic", err, context.Cause(ctx))
	}
}

func TestWaitEndsContext(t *testing.T) {
	g, ctx := crew.WithContext(t.Context())
	g.Go(func() error { return nil })
	if err := g.Wait(); err != nil || ctx.Err() == nil {
		t.Errorf("Wait says %v, and the context %v", err, ctx.Err())
	}
}
