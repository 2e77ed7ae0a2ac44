package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/causeway-gitops/causeway/internal/render/helm/engine"
	"github.com/causeway-gitops/causeway/test/await"
)

// FuzzTemplate executes any text: it may fail, with an Error, but neither
// panic nor go on for long.
func FuzzTemplate(f *testing.F) {
	for _, text := range templates() {
		f.Add(text)
	}
	for _, text := range nasty {
		if len(text) < 10_000 {
			f.Add(text)
		}
	}
	e := engine.New(engine.Options{Limits: engine.Limits{Output: 1 << 20, Produced: 4 << 20, Text: 1 << 20, Steps: 50_000, Keys: -1}})
	f.Fuzz(func(t *testing.T, text string) {
		ch, err := chartOf(oneTemplate(text))
		if err != nil {
			return
		}
		top, err := prepared(ch, map[string]any{})
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
		defer cancel()
		_, err = e.Render(ctx, ch, top)
		if errors.Is(err, context.DeadlineExceeded) {
			t.Fatal("the limits should have ended it before")
		}
		var wrong *engine.Error
		if err != nil && !errors.As(err, &wrong) {
			t.Fatalf("no Error: %v", err)
		}
	})
}
