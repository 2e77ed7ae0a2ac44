package claims

import (
	"log/slog"
	"time"

	"github.com/causeway-gitops/causeway/internal/operation"
)

// at is the time of every test.
var at = time.Date(2026, 5, 4, 10, 30, 0, 0, time.UTC)

// judging is a Judge by a clock, without a history.
func judging(now func() time.Time) *Judge {
	return New(Options{Seal: operation.NewSeal([]byte("x")), Log: slog.New(slog.DiscardHandler), Now: now})
}

func atOnce() time.Time { return at }
