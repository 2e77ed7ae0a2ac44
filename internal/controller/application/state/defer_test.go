package state

import (
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/report"
)

// TestDefer is a status that waits for the health of what was applied: however often it
// is looked at, no longer than that.
func TestDefer(t *testing.T) {
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "argocd", UID: "1"}}
	reporter := report.New("Application", nil, nil, nil, report.NewMetrics(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
	statuses, begin := NewPendingStatuses(), time.Unix(1000, 0)
	deferred := func(last *PendingStatus, after time.Duration) *PendingStatus {
		t.Helper()
		statuses.Defer(app, reporter.Begin(t.Context(), app), last, begin.Add(after))
		return statuses.Resume(app.DeepCopy())
	}
	first := deferred(nil, 0)
	if !first.Deferred() {
		t.Fatal("it was not deferred")
	}
	second := deferred(first, deferFor/2)
	if !second.Deferred() || !second.until.Equal(first.until) {
		t.Errorf("looked at in between, it waits until %v, not %v", second, first.until)
	}
	if late := deferred(second, deferFor); late != nil {
		t.Errorf("it waits on when its time is over: %v", late)
	}
	statuses.Keep(client.Object(app.DeepCopy()), app)
	if lost := statuses.Resume(app.DeepCopy()); lost.Deferred() {
		t.Error("what could not be written counts as deferred")
	}
}
