package report

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// at is the time of every test.
var at = time.Date(2026, 5, 4, 10, 30, 0, 0, time.UTC)

// writes is a Writer that keeps what it is sent.
type writes struct {
	bodies []string
	err    error
}

func (w *writes) Patch(_ context.Context, obj client.Object, patch client.Patch, _ ...client.PatchOption) error {
	body, err := patch.Data(obj)
	if err != nil {
		return err
	}
	w.bodies = append(w.bodies, string(body))
	return w.err
}

// heard is an Events that keeps what it is told.
type heard struct{ texts []string }

func (h *heard) Event(_ client.Object, kind, reason, message string) {
	h.texts = append(h.texts, kind+" "+reason+": "+message)
}

func newReporter(w Writer, e Events, d Describer) *Reporter {
	r := New("Application", w, e, d, NewMetrics(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
	r.now = func() time.Time { return at }
	return r
}
