package policy_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

func windowed(windows ...*v1alpha1.SyncWindow) *v1alpha1.AppProject {
	p := policy.DefaultProject("argocd")
	for _, w := range windows {
		w.Applications = []string{"*"}
		p.Spec.SyncWindows = append(p.Spec.SyncWindows, w)
	}
	return p
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestOpens(t *testing.T) {
	nightly := v1alpha1.SyncWindow{Kind: "allow", Schedule: "0 22 * * *", Duration: "1h"}
	berlin := v1alpha1.SyncWindow{Kind: "allow", Schedule: "0 8 * * 1-5", Duration: "8h", TimeZone: "Europe/Berlin"}
	freeze := v1alpha1.SyncWindow{Kind: "deny", Schedule: "0 0 24 12 *", Duration: "72h"}
	always := v1alpha1.SyncWindow{Kind: "deny", Schedule: "* * * * *", Duration: "24h"}
	byHand := v1alpha1.SyncWindow{Kind: "deny", Schedule: "0 10 * * *", Duration: "2h", ManualSync: true}
	cases := map[string]struct {
		reason       string
		windows      []v1alpha1.SyncWindow
		now          string
		auto, manual string // empty: not in sight
	}{
		"Open":      {"inside of an allow window", []v1alpha1.SyncWindow{nightly}, "2026-03-01T22:30:00Z", "2026-03-01T22:30:00Z", "2026-03-01T22:30:00Z"},
		"Later":     {"the same evening", []v1alpha1.SyncWindow{nightly}, "2026-03-01T12:00:00Z", "2026-03-01T22:00:00Z", "2026-03-01T22:00:00Z"},
		"Tomorrow":  {"it closed just now", []v1alpha1.SyncWindow{nightly}, "2026-03-01T23:00:00Z", "2026-03-02T22:00:00Z", "2026-03-02T22:00:00Z"},
		"Weekend":   {"a zone in winter, over a weekend", []v1alpha1.SyncWindow{berlin}, "2026-02-28T12:00:00Z", "2026-03-02T07:00:00Z", "2026-03-02T07:00:00Z"},
		"Spring":    {"the clock goes forward in between", []v1alpha1.SyncWindow{berlin}, "2026-03-28T12:00:00Z", "2026-03-30T06:00:00Z", "2026-03-30T06:00:00Z"},
		"Freeze":    {"a deny ends", []v1alpha1.SyncWindow{freeze}, "2026-12-25T12:00:00Z", "2026-12-27T00:00:00Z", "2026-12-27T00:00:00Z"},
		"Both":      {"an allow inside of a freeze does not count", []v1alpha1.SyncWindow{freeze, nightly}, "2026-12-24T12:00:00Z", "2026-12-27T22:00:00Z", "2026-12-27T22:00:00Z"},
		"ByHand":    {"people need not wait", []v1alpha1.SyncWindow{byHand}, "2026-03-01T11:00:00Z", "2026-03-01T12:00:00Z", "2026-03-01T11:00:00Z"},
		"Never":     {"a deny that does not end", []v1alpha1.SyncWindow{always}, "2026-03-01T11:00:30Z", "", ""},
		"Negative":  {"as in Argo CD: a window that lasts less than no time is never open", []v1alpha1.SyncWindow{{Kind: "allow", Schedule: "* * * * *", Duration: "-1h"}}, "2026-03-01T11:00:00Z", "", ""},
		"NotClosed": {"nor does such a deny close anything", []v1alpha1.SyncWindow{{Kind: "deny", Schedule: "* * * * *", Duration: "-1h"}}, "2026-03-01T11:00:00Z", "2026-03-01T11:00:00Z", "2026-03-01T11:00:00Z"},
		"NeverOpen": {"an allow on a day that does not exist", []v1alpha1.SyncWindow{{Kind: "allow", Schedule: "0 0 31 2 *", Duration: "1h"}}, "2026-03-01T11:00:00Z", "", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := windowed()
			for i := range tc.windows {
				p = windowed(append(p.Spec.SyncWindows, &tc.windows[i])...)
			}
			got := policy.Opens(p, app("argocd", "x"), instant(t, tc.now))
			for _, c := range []struct {
				what, want string
				got        time.Time
			}{{"automated", tc.auto, got.Auto}, {"manual", tc.manual, got.Manual}} {
				have := ""
				if !c.got.IsZero() {
					have = c.got.UTC().Truncate(time.Second).Format(time.RFC3339)
				}
				if have != c.want {
					t.Errorf("%s: %s syncs open at %q, want %q", tc.reason, c.what, have, c.want)
				}
			}
		})
	}
}

// TestNothingChangesBetweenEdges walks from edge to edge over the changes of
// the clock, and looks at each minute in between.
func TestNothingChangesBetweenEdges(t *testing.T) {
	a := app("argocd", "x")
	for name, w := range map[string]v1alpha1.SyncWindow{
		"nightly":  {Kind: "allow", Schedule: "30 1 * * *", Duration: "1h", TimeZone: "Europe/Berlin"},
		"twice":    {Kind: "deny", Schedule: "0 */12 * * *", Duration: "90m", TimeZone: "America/New_York"},
		"longer":   {Kind: "allow", Schedule: "0 20 * * 6", Duration: "30h", TimeZone: "Europe/Berlin"},
		"adjacent": {Kind: "allow", Schedule: "0 * * * *", Duration: "1h"},
		"dense":    {Kind: "deny", Schedule: "* 22,23,0-7 * * *", Duration: "1m", TimeZone: "Europe/Berlin"},
		"gaps":     {Kind: "deny", Schedule: "*/5 8-9,11 * * 1-5", Duration: "6m", TimeZone: "Europe/Berlin"},
		"own zone": {Kind: "deny", Schedule: "TZ=Asia/Tokyo * * * * 0", Duration: "2m"},
	} {
		t.Run(name, func(t *testing.T) {
			p := windowed(&w)
			for _, from := range []string{"2026-03-28T00:00:00Z", "2026-10-24T00:00:00Z"} {
				now := instant(t, from)
				for end := now.Add(72 * time.Hour); now.Before(end); {
					next := policy.NextChange(p, a, now)
					if next.IsZero() {
						next = end // nothing changes any more
					}
					if !next.After(now) {
						t.Fatalf("after %s comes %s", now, next)
					}
					was := allowed(t, p, a, now)
					for at := now; at.Before(next.Add(-time.Millisecond)); at = at.Add(time.Minute) {
						if allowed(t, p, a, at) != was {
							t.Fatalf("it changes at %s, between %s and %s", at, now, next)
						}
					}
					now = next
				}
			}
		})
	}
}

// TestAlways has windows whose openings follow one another closely, some of them
// for hours or a month alone.
func TestAlways(t *testing.T) {
	cases := map[string]struct {
		reason, schedule, duration, now string
		always                          bool
		changes                         string // empty: never
	}{
		"Minutes":   {"each minute of the day", "* * * * *", "1m", "2026-03-02T12:00:30Z", true, ""},
		"Days":      {"each day", "0 0 * * *", "24h", "2026-03-02T12:00:30Z", true, ""},
		"Weeks":     {"each week", "0 0 * * 1", "168h", "2026-03-03T12:00:30Z", true, ""},
		"Months":    {"each month, with the longest as its measure", "0 0 1 * *", "744h", "2026-03-03T12:00:30Z", true, ""},
		"FourYears": {"a day of leap years", "0 0 29 2 *", "35064h", "2026-03-03T12:00:30Z", true, ""},
		"Night":     {"each minute of the night", "* 0-7 * * *", "1m", "2026-03-02T01:00:30Z", false, "2026-03-02T08:00:00Z"},
		"Month":     {"each minute of a month", "* * * 1 *", "1m", "2026-01-02T01:00:30Z", false, "2026-02-01T00:00:00Z"},
		"MonthNext": {"before that month", "* * * 1 *", "1m", "2026-02-02T01:00:30Z", false, "2027-01-01T00:00:00Z"},
		"Weekdays":  {"each minute of five days", "* * * * 1-5", "1m", "2026-03-02T12:00:30Z", false, "2026-03-07T00:00:00Z"},
		"ShortNow":  {"months that are shorter than the longest", "0 0 1 * *", "720h", "2026-03-31T12:00:30Z", false, "2026-04-01T00:00:00Z"},
		"NoTime":    {"no time at all", "* * * * *", "0s", "2026-03-02T12:00:30Z", false, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p, a, now := windowed(&v1alpha1.SyncWindow{Kind: "deny", Schedule: tc.schedule, Duration: tc.duration}), app("argocd", "x"), instant(t, tc.now)
			state := policy.Agenda(p, a, now)[0]
			if got := strings.Contains(state.Note, "never closes"); got != tc.always {
				t.Errorf("%s: the note is %q", tc.reason, state.Note)
			}
			changes := ""
			if !state.Changes.IsZero() {
				changes = state.Changes.UTC().Format(time.RFC3339)
			}
			if changes != tc.changes {
				t.Errorf("%s: it changes at %q, want %q", tc.reason, changes, tc.changes)
			}
			w, err := policy.At(p, a, now, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			if got := w.Auto != nil && strings.Contains(w.Auto.Error(), "always active"); got != tc.always {
				t.Errorf("%s: people are told %v", tc.reason, w.Auto)
			}
		})
	}
}

func allowed(t *testing.T, p *v1alpha1.AppProject, a *v1alpha1.Application, at time.Time) bool {
	t.Helper()
	w, err := policy.At(p, a, at, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return w.Auto == nil
}

func TestDoubts(t *testing.T) {
	cases := map[string]struct {
		reason string
		window v1alpha1.SyncWindow
		want   []string // nil: none
	}{
		"Fine":      {"an ordinary one", v1alpha1.SyncWindow{Kind: "allow", Schedule: "0 22 * * *", Duration: "1h", TimeZone: "Europe/Berlin"}, nil},
		"Always":    {"people write this for always", v1alpha1.SyncWindow{Kind: "deny", Schedule: "* * * * *", Duration: "24h"}, nil},
		"LeapDay":   {"rare is not never", v1alpha1.SyncWindow{Kind: "allow", Schedule: "0 0 29 2 *", Duration: "1h"}, nil},
		"NoDay":     {"there is no such day", v1alpha1.SyncWindow{Kind: "allow", Schedule: "0 0 31 2 *", Duration: "1h"}, []string{"spec.syncWindows[0]", "never opens", "31 2"}},
		"Zero":      {"no time at all", v1alpha1.SyncWindow{Kind: "allow", Schedule: "0 22 * * *", Duration: "0s"}, []string{"never open", "above zero"}},
		"Negative":  {"less than no time", v1alpha1.SyncWindow{Kind: "allow", Schedule: "0 22 * * *", Duration: "-1h"}, []string{"never open"}},
		"Zone":      {"a zone that is nowhere", v1alpha1.SyncWindow{Kind: "allow", Schedule: "0 22 * * *", Duration: "1h", TimeZone: "Europe/Atlantis"}, []string{"Europe/Atlantis", "UTC counts"}},
		"Schedule":  {"no cron", v1alpha1.SyncWindow{Kind: "allow", Schedule: "every day", Duration: "1h"}, []string{"cannot be read", "forbids every sync", "every day"}},
		"Duration":  {"no duration", v1alpha1.SyncWindow{Kind: "allow", Schedule: "0 22 * * *", Duration: "1 hour"}, []string{"cannot be read", "1 hour"}},
		"ZoneOnly":  {"a zone and no times", v1alpha1.SyncWindow{Kind: "allow", Schedule: "TZ=UTC", Duration: "1h"}, []string{"cannot be read", "time zone alone"}},
		"CronZone":  {"in its other form", v1alpha1.SyncWindow{Kind: "allow", Schedule: "CRON_TZ=", Duration: "1h"}, []string{"cannot be read", "time zone alone"}},
		"SixFields": {"seconds are not for us", v1alpha1.SyncWindow{Kind: "allow", Schedule: "0 0 22 * * *", Duration: "1h"}, []string{"cannot be read"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := errors.Join(policy.Doubts(windowed(&tc.window), app("argocd", "x"))...)
			if (got == nil) != (tc.want == nil) {
				t.Fatalf("%s: got %v", tc.reason, got)
			}
			for _, word := range tc.want {
				if !strings.Contains(got.Error(), word) {
					t.Errorf("%s: %q is not in %q", tc.reason, word, got)
				}
			}
			var p *gitops.Problem
			if got != nil && (!errors.As(got, &p) || p.Fix == "") {
				t.Errorf("%s: nothing says what to do: %v", tc.reason, got)
			}
		})
	}
}

func FuzzHours(f *testing.F) {
	f.Add("0 22 * * *", "1h", "Europe/Berlin", int64(1_774_000_000))
	f.Add("*/5 0-3 31 2 *", "-1h", "", int64(0))
	f.Fuzz(func(t *testing.T, schedule, duration, zone string, at int64) {
		at %= 1 << 34
		p := windowed(&v1alpha1.SyncWindow{Kind: "allow", Schedule: schedule, Duration: duration, TimeZone: zone})
		a, now := app("argocd", "x"), time.Unix(at, 0)
		if next := policy.NextChange(p, a, now); !next.IsZero() && !next.After(now) {
			t.Errorf("the next change after %s is %s", now, next)
		}
		policy.Doubts(p, a)
		_, _ = policy.At(p, a, now, now)
	})
}
