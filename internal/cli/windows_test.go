package cli

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

func TestScheduleOf(t *testing.T) {
	project := &v1alpha1.AppProject{}
	project.Name = "team"
	project.Spec.SyncWindows = v1alpha1.SyncWindows{
		{Kind: "allow", Schedule: "0 22 * * *", Duration: "1h", Applications: []string{"shop"}, ManualSync: true},
		{Kind: "deny", Schedule: "0 0 * * *", Duration: "1h", Applications: []string{"other"}},
	}
	application := &v1alpha1.Application{}
	application.Name = "shop"
	at := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	want := &api.Schedule{
		Application: "shop", Project: "team", Automated: "2026-03-01T22:00:00Z", Manual: "now",
		Windows: []api.Window{{Kind: "allow", Schedule: "0 22 * * *", Duration: "1h", Changes: &at}},
	}
	if diff := cmp.Diff(want, inspect.ScheduleOf(project, application, at.Add(-time.Hour))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
