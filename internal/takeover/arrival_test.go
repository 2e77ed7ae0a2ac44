package takeover

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// TestArrivalAtItsEdges: what keeps an application from having arrived, and in which words.
func TestArrivalAtItsEdges(t *testing.T) {
	begun := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		reason string
		change func(*v1alpha1.Application)
		want   string // begins what is said; empty where it has arrived
	}{
		"Unknown":   {"nobody has told its state yet", func(a *v1alpha1.Application) { a.Status = v1alpha1.ApplicationStatus{} }, "web: Unknown/Unknown, was Synced/Healthy"},
		"Elsewhere": {"one of another namespace is told with it", func(a *v1alpha1.Application) { a.Namespace, a.Status.Health.Status = "team", "Missing" }, "team_web: Synced/Missing"},
		"Waiting":   {"it is asked for a look", func(a *v1alpha1.Application) { a.Annotations = map[string]string{v1alpha1.AnnotationRefresh: "hard"} }, "web: the engine has not looked at it yet"},
		"Deleted": {"it goes", func(a *v1alpha1.Application) {
			a.DeletionTimestamp, a.Status.Health.Status = &metav1.Time{Time: begun}, "Degraded"
		}, ""},
		"At once": {"one that was made in that second was", func(a *v1alpha1.Application) {
			a.CreationTimestamp, a.Status.Health.Status = metav1.Time{Time: begun}, "Degraded"
		}, "web: Synced/Degraded"},
		"Stays ill": {"it was as bad before, and is asked for nothing", func(a *v1alpha1.Application) { a.Name, a.Status.Health.Status = "ill", "Degraded" }, ""},
		"Worse yet": {"it is worse in the other of both", func(a *v1alpha1.Application) { a.Name, a.Status.Sync.Status = "ill", "OutOfSync" }, "ill: OutOfSync/Healthy, was Synced/Degraded: it is broken"},
		"Odd":       {"nobody knows its word", func(a *v1alpha1.Application) { a.Status.Health.Status = "Odd" }, "web: Synced/Odd, was Synced/Healthy"},
		"Two errors": {"the first error is told", func(a *v1alpha1.Application) {
			a.Status.Health.Status = "Degraded"
			a.Status.Conditions = append(a.Status.Conditions, v1alpha1.ApplicationCondition{Type: "SyncError", Message: "another"})
		}, "web: Synced/Degraded, was Synced/Healthy: it is broken"},
		"No error": {"a warning is no reason", func(a *v1alpha1.Application) {
			a.Status.Health.Status, a.Status.Conditions = "Degraded", a.Status.Conditions[:1]
		}, "web: Synced/Degraded, was Synced/Healthy"},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Name, app.Namespace, app.CreationTimestamp = "web", "argocd", metav1.Time{Time: begun.Add(-time.Hour)}
			app.Status.Sync.Status, app.Status.Health.Status = Good.Sync, Good.Health
			app.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: "OddWarning", Message: "a warning"}, {Type: "ComparisonError", Message: "it is broken"}}
			tc.change(app)
			r := &Record{Begun: begun, Expected: map[string]State{"ill": {"Synced", "Degraded"}}}
			if got := r.Missing(app, "argocd"); (got == "") != (tc.want == "") || !strings.HasPrefix(got, tc.want) {
				t.Errorf("%s: %q", tc.reason, got)
			}
		})
	}
}
