package inspect

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// When an Application may be synced, in words, by the windows that concern it.
func TestScheduleOfAnApplication(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 30, 0, 500, time.UTC)
	at := func(hour int) *time.Time {
		out := time.Date(2026, 5, 4, hour, 0, 0, 0, time.UTC)
		return &out
	}
	window := func(kind, schedule string, manual bool) v1alpha1.SyncWindow {
		return v1alpha1.SyncWindow{Kind: kind, Schedule: schedule, Duration: "1h", Applications: []string{"web"}, ManualSync: manual}
	}
	other := window("deny", "0 12 * * *", false)
	other.Applications = []string{"other"}
	for name, tc := range map[string]struct {
		reason            string
		windows           v1alpha1.SyncWindows
		automated, manual string
		want              []api.Window
	}{
		"None":     {"no window concerns it", nil, "now", "now", []api.Window{}},
		"Of other": {"nor does that of another one", v1alpha1.SyncWindows{&other}, "now", "now", []api.Window{}},
		"Denied":   {"a window denies it, until it closes", v1alpha1.SyncWindows{&other, ptr(window("deny", "0 12 * * *", false))}, "2026-05-04T13:00:00Z", "2026-05-04T13:00:00Z", []api.Window{{Index: 1, Kind: "deny", Schedule: "0 12 * * *", Duration: "1h", Active: true, Changes: at(13)}}},
		"By hand":  {"one that lets people sync", v1alpha1.SyncWindows{ptr(window("deny", "0 12 * * *", true))}, "2026-05-04T13:00:00Z", "now", []api.Window{{Kind: "deny", Schedule: "0 12 * * *", Duration: "1h", Active: true, Changes: at(13)}}},
		"Later":    {"one that allows it has not opened yet", v1alpha1.SyncWindows{ptr(window("allow", "0 15 * * *", false))}, "2026-05-04T15:00:00Z", "2026-05-04T15:00:00Z", []api.Window{{Kind: "allow", Schedule: "0 15 * * *", Duration: "1h", Changes: at(15)}}},
		"People":   {"nor need people wait for it", v1alpha1.SyncWindows{ptr(window("allow", "0 15 * * *", true)), &other}, "2026-05-04T15:00:00Z", "now", []api.Window{{Kind: "allow", Schedule: "0 15 * * *", Duration: "1h", Changes: at(15)}}},
	} {
		t.Run(name, func(t *testing.T) {
			project, app := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{SyncWindows: tc.windows}}, &v1alpha1.Application{}
			project.Name, app.Name = "shop", "web"
			want := &api.Schedule{Application: "web", Project: "shop", Automated: tc.automated, Manual: tc.manual, Windows: tc.want}
			if diff := cmp.Diff(want, ScheduleOf(project, app, now)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }

// A moment that has come is now, and one that never comes is no time.
func TestWhenInWords(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 30, 0, 0, time.UTC)
	for want, at := range map[string]time.Time{
		"never": {}, "now": now, "2026-05-04T12:30:01Z": now.Add(1999 * time.Millisecond).In(time.FixedZone("east", 3600)),
	} {
		if got := when(at, now); got != want {
			t.Errorf("%v is %q, want %q", at, got, want)
		}
	}
	if got := when(now.Add(-time.Hour), now); got != "now" {
		t.Errorf("an hour ago is %q", got)
	}
}
