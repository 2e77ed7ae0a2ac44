package rollout

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

var (
	now   = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	steps = []v1alpha1.ApplicationSetRolloutStep{in("env", "dev"), in("env", "prod")}
)

// app is one at revision 1, synced and healthy; change makes it another.
func app(name, env string, change ...func(*App)) App {
	a := App{Name: name, Labels: map[string]string{"env": env}, Exists: true, Fresh: true, Revisions: []string{"1"}, Synced: true, Healthy: true}
	for _, c := range change {
		c(&a)
	}
	return a
}

func outdated(a *App) { a.Synced, a.Due, a.Revisions = false, true, []string{"2"} }
func sick(a *App)     { a.Healthy = false }
func stale(a *App)    { a.Fresh = false }
func absent(a *App)   { *a = App{Name: a.Name, Labels: a.Labels} }
func drifted(a *App)  { a.Synced, a.Drifted = false, true }
func changed(a *App)  { a.Changed = true }

// syncing has a sync of the roll-out that runs at the newest revision.
func syncing(a *App) {
	outdated(a)
	a.Due, a.Busy, a.Ours, a.Started = false, true, true, now
}

// syncingOld is one whose sync is of a revision before the newest.
func syncingOld(a *App) { syncing(a); a.Due = true }

// held has a sync that waits before it begins.
func held(a *App) { syncing(a); a.Held = "a sync window is closed" }

// seen has compared a revision of its source.
func seen(wanted, revision string) func(*App) {
	return func(a *App) { a.Seen = []Seen{{Source{Wanted: wanted}, revision}} }
}

func failed(a *App) { syncing(a); a.Busy, a.Failure = false, "its sync failed: no such kind" }

func entry(name string, status v1alpha1.ProgressiveSyncStatusCode, revision string) Entry {
	at := v1alpha1.NewTime(now.Add(-time.Minute))
	return Entry{Application: name, Status: status, TargetRevisions: []string{revision}, LastTransitionTime: &at}
}

func TestAdvance(t *testing.T) {
	const (
		waiting, pending     = v1alpha1.ProgressiveSyncWaiting, v1alpha1.ProgressiveSyncPending
		progressing, healthy = v1alpha1.ProgressiveSyncProgressing, v1alpha1.ProgressiveSyncHealthy
	)
	one := intstr.FromInt32(1)
	oneAtATime := slices.Clone(steps)
	oneAtATime[0].MaxUpdate = &one
	cases := map[string]struct {
		reason string
		in     Input
		want   []v1alpha1.ProgressiveSyncStatusCode
		sync   []string
		step   int
	}{
		"all is well": {
			reason: "what is synced and healthy needs nothing",
			in:     Input{Apps: []App{app("d", "dev"), app("p", "prod")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{healthy, healthy},
		},
		"first step first": {
			reason: "the second step waits although it has changes, too",
			in:     Input{Apps: []App{app("d", "dev", outdated), app("p", "prod", outdated)}, Before: []Entry{entry("d", healthy, "1"), entry("p", healthy, "1")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{pending, waiting}, sync: []string{"d"}, step: 1,
		},
		"asked for": {
			reason: "a sync that runs is not asked for again",
			in:     Input{Apps: []App{app("d", "dev", syncing), app("p", "prod", outdated)}, Before: []Entry{entry("d", pending, "2"), entry("p", waiting, "2")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{progressing, waiting}, step: 1,
		},
		"synced and sick": {
			reason: "the next step waits for health",
			in:     Input{Apps: []App{app("d", "dev", sick), app("p", "prod", outdated)}, Before: []Entry{entry("d", progressing, "1"), entry("p", waiting, "2")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{progressing, waiting}, step: 1,
		},
		"fell sick afterwards": {
			reason: "a step that is sick now is no ground to go on",
			in:     Input{Apps: []App{app("d", "dev", sick), app("p", "prod", outdated)}, Before: []Entry{entry("d", healthy, "1"), entry("p", waiting, "2")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{healthy, waiting}, step: 1,
		},
		"second step": {
			reason: "it begins when the first is complete",
			in:     Input{Apps: []App{app("d", "dev"), app("p", "prod", outdated)}, Before: []Entry{entry("d", progressing, "1"), entry("p", waiting, "2")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{healthy, pending}, sync: []string{"p"}, step: 2,
		},
		"the first step has not looked": {
			reason: "its status speaks of the commit before",
			in: Input{
				Apps: []App{app("d", "dev", seen("main", "1")), app("p", "prod", outdated, seen("main", "2"))}, Before: []Entry{entry("d", healthy, "1"), entry("p", healthy, "1")},
			},
			want: []v1alpha1.ProgressiveSyncStatusCode{healthy, waiting}, step: 2,
		},
		"a new commit in the middle": {
			reason: "it begins with the first step again; the second one waits with what it has",
			in:     Input{Apps: []App{app("d", "dev", outdated), app("p", "prod", syncingOld)}, Before: []Entry{entry("d", healthy, "1"), entry("p", progressing, "1")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{pending, waiting}, sync: []string{"d"}, step: 1,
		},
		"a fix for what runs": {
			reason: "in its own step, the newer revision takes the place of the one that runs",
			in:     Input{Apps: []App{app("d", "dev", syncingOld)}, Before: []Entry{entry("d", progressing, "1")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{pending}, sync: []string{"d"}, step: 1,
		},
		"a few at once": {
			reason: "maxUpdate",
			in:     Input{Steps: oneAtATime, Apps: []App{app("d1", "dev", outdated), app("d2", "dev", outdated)}, Before: []Entry{entry("d1", healthy, "1"), entry("d2", healthy, "1")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{pending, waiting}, sync: []string{"d1"}, step: 1,
		},
		"a failed sync": {
			reason: "it is not asked for again; a new revision, or a person, helps",
			in:     Input{Apps: []App{app("d", "dev", failed)}, Before: []Entry{entry("d", progressing, "2")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{progressing}, step: 1,
		},
		"killed before it was noted": {
			reason: "a sync that was asked for is known again by who asked",
			in:     Input{Apps: []App{app("d", "dev", syncing)}, Before: []Entry{entry("d", waiting, "2")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{progressing}, step: 1,
		},
		"an old sync of the same second": {
			reason: "the sync of the revision before does not count for this one",
			in: Input{
				Apps:   []App{app("d", "dev", outdated, func(a *App) { a.Ours, a.Started = true, now })},
				Before: []Entry{entry("d", pending, "2")},
			},
			want: []v1alpha1.ProgressiveSyncStatusCode{pending}, sync: []string{"d"}, step: 1,
		},
		"not there": {
			reason: "a step is not complete without all of its applications",
			in:     Input{Apps: []App{app("d", "dev", absent), app("p", "prod", outdated)}, Before: []Entry{entry("d", healthy, "1"), entry("p", waiting, "2")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{waiting, waiting}, step: 1,
		},
		"removed": {
			reason: "what is no longer generated holds nobody",
			in:     Input{Apps: []App{app("p", "prod", outdated)}, Before: []Entry{entry("d", progressing, "2"), entry("p", waiting, "2")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{pending}, sync: []string{"p"}, step: 2,
		},
		"stale": {
			reason: "nothing is synced before it was compared",
			in:     Input{Apps: []App{app("d", "dev", outdated, stale)}, Before: []Entry{entry("d", waiting, "1")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{waiting}, step: 1,
		},
		"a changed spec": {
			reason: "what the status says is about another spec",
			in:     Input{Apps: []App{app("d", "dev", changed), app("p", "prod", outdated)}, Before: []Entry{entry("d", healthy, "1"), entry("p", waiting, "2")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{waiting, waiting}, step: 1,
		},
		"drift": {
			reason: "it is healed by the same way",
			in:     Input{Apps: []App{app("d", "dev", drifted)}, Before: []Entry{entry("d", healthy, "1")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{pending}, sync: []string{"d"}, step: 1,
		},
		"paused": {
			reason: "nothing begins, not even what was about to",
			in:     Input{Paused: true, Apps: []App{app("d1", "dev", outdated), app("d2", "dev", outdated)}, Before: []Entry{entry("d1", pending, "2"), entry("d2", waiting, "2")}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{pending, waiting}, step: 1,
		},
		"in no step": {
			reason: "as in Argo CD, it is left to people, and holds nobody",
			in:     Input{Apps: []App{app("p", "prod"), app("q", "qa", outdated)}},
			want:   []v1alpha1.ProgressiveSyncStatusCode{healthy, waiting},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.in.Now = now
			if tc.in.Steps == nil {
				tc.in.Steps = steps
			}
			d := Advance(tc.in)
			var got []v1alpha1.ProgressiveSyncStatusCode
			for _, e := range d.Entries {
				got = append(got, e.Status)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: %s\n%+v", tc.reason, diff, d.Entries)
			}
			if diff := cmp.Diff(tc.sync, d.Sync); diff != "" || d.Step != tc.step {
				t.Errorf("%s: at step %d, want %d; syncs %s", tc.reason, d.Step, tc.step, diff)
			}
		})
	}
}

func TestAdvanceIsAtRest(t *testing.T) {
	first := Advance(Input{Steps: steps, Apps: []App{app("d", "dev", outdated), app("p", "prod", outdated), app("q", "qa", outdated)}, Now: now})
	again := Advance(Input{Steps: steps, Apps: []App{app("d", "dev", outdated), app("p", "prod", outdated), app("q", "qa", outdated)}, Before: first.Entries, Now: now.Add(time.Hour)})
	if diff := cmp.Diff(first.Entries, again.Entries); diff != "" {
		t.Errorf("where nothing has moved, nothing is written: %s", diff)
	}
}

func TestASyncThatWaitsSaysForWhat(t *testing.T) {
	for name, status := range map[string]v1alpha1.ProgressiveSyncStatusCode{
		"asked for": v1alpha1.ProgressiveSyncPending, "at work": v1alpha1.ProgressiveSyncProgressing, "not noted": v1alpha1.ProgressiveSyncWaiting,
	} {
		e := entry("d", status, "2")
		d := Advance(Input{Steps: steps, Apps: []App{app("d", "dev", held)}, Before: []Entry{e}, Now: now})
		if got := d.Entries[0]; got.Message != "its sync has not begun: a sync window is closed" {
			t.Errorf("%s: it is %s and says %q", name, got.Status, got.Message)
		}
	}
}
