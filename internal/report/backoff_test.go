package report

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestBackoff(t *testing.T) {
	cases := map[string]struct {
		reason  string
		classes []Class
		want    []time.Duration
	}{
		"transient": {"each failure in a row doubles the pause",
			[]Class{Transient, Transient, Transient, Transient}, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}},
		"waiting": {"a dependency is watched; the look at times is for what is missed, a minute apart at the most",
			[]Class{Waiting, Waiting, Waiting, Waiting, Waiting, Waiting, Waiting, Waiting},
			[]time.Duration{1 * time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 32 * time.Second, time.Minute, time.Minute}},
		"denied": {"a person has to act first",
			[]Class{Denied, Denied, Denied, Denied, Denied}, []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 5 * time.Minute}},
		"terminal": {"only a change of input helps, and that wakes by itself",
			[]Class{Terminal, Terminal}, []time.Duration{0, 0}},
		"success": {"a success ends the row",
			[]Class{Transient, Transient, None, Transient}, []time.Duration{time.Second, 2 * time.Second, 0, time.Second}},
		"terminal ends a row": {"what failed otherwise before does not count",
			[]Class{Transient, Transient, Terminal, Transient}, []time.Duration{time.Second, 2 * time.Second, 0, time.Second}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			b, other := newBackoff(), types.NamespacedName{Name: "other"}
			var got []time.Duration
			now := time.Now()
			for _, class := range c.classes {
				pause := b.next(types.NamespacedName{Name: "a"}, "spec", class, now)
				got = append(got, pause)
				b.next(other, "spec", Transient, now) // another object's failures are its own
				now = now.Add(pause)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

func TestPauseEndsAtItsMost(t *testing.T) {
	if got := transientPause.after(1 << 40); got != transientPause.most {
		t.Errorf("after very many failures the pause is %s, want %s", got, transientPause.most)
	}
}

func TestDeniedFor(t *testing.T) {
	for set, want := range map[time.Duration]pause{
		0:           deniedPause,
		time.Second: {first: time.Second, most: 10 * time.Second},
	} {
		if got := newReporter(nil, nil, nil).DeniedFor(set).backoff.pauseOf(Denied); got != want {
			t.Errorf("set to %s, the pauses are %+v, want %+v", set, got, want)
		}
	}
}

func TestBackoffForgetsSuccess(t *testing.T) {
	b, name := newBackoff(), types.NamespacedName{Name: "a"}
	b.next(name, "spec", Transient, time.Now())
	b.next(name, "spec", None, time.Now())
	if len(b.failures) != 0 {
		t.Errorf("%d objects are remembered that do not fail", len(b.failures))
	}
}

func TestBackoffCountsOncePerPause(t *testing.T) {
	b, name, now := newBackoff(), types.NamespacedName{Name: "a"}, time.Now()
	for range 20 {
		b.next(name, "spec", Transient, now) // woken again and again by news
	}
	if got := b.next(name, "spec", Transient, now.Add(400*time.Millisecond)); got != 600*time.Millisecond {
		t.Errorf("within the first pause, another %s are waited for, want what is left of it", got)
	}
	if got := b.next(name, "spec", Transient, now.Add(time.Second)); got != 2*time.Second {
		t.Errorf("after the first pause, the next one is %s, want 2s", got)
	}
}

func TestBackoffForgetsWhatIsWrittenAnew(t *testing.T) {
	b, name, now := newBackoff(), types.NamespacedName{Name: "app"}, time.Unix(0, 0)
	fail := func(written string) time.Duration {
		pause := b.next(name, written, Transient, now)
		now = now.Add(pause)
		return pause
	}
	fail("old")
	if grown := fail("old"); grown <= transientPause.first {
		t.Fatalf("the pause does not grow: %s", grown)
	}
	if got := fail("new"); got != transientPause.first {
		t.Errorf("what was written anew has the pause of what it was before: %s", got)
	}
	b.forget(name)
	if got := fail("new"); got != transientPause.first || len(b.failures) != 1 {
		t.Errorf("an object that is gone is known: %s, %v", got, b.failures)
	}
}

func TestWrittenOf(t *testing.T) {
	app := &v1alpha1.Application{}
	was := writtenOf(app)
	app.Status.Sync.Revision, app.Generation = "abc", 2
	if writtenOf(app) != was {
		t.Error("a status counts as written by people")
	}
	app.Spec.Project = "other"
	if now := writtenOf(app); now == was {
		t.Error("a spec does not count")
	}
	set := &v1alpha1.ApplicationSet{}
	was = writtenOf(set)
	if set.UID = "new"; writtenOf(set) == was {
		t.Error("a set of the same name counts as the one before")
	}
}
