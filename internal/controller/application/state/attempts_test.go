package state

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestHeal(t *testing.T) {
	const s = time.Second
	cases := map[string]struct {
		reason string
		after  []time.Duration
		want   []time.Duration
	}{
		"at once":  {"five in a row are healed at once", []time.Duration{0, s, 2 * s, 3 * s, 4 * s}, []time.Duration{0, 0, 0, 0, 0}},
		"too many": {"the sixth rests until the first is a minute ago", []time.Duration{0, s, 2 * s, 3 * s, 4 * s, 10 * s}, []time.Duration{0, 0, 0, 0, 0, 50 * s}},
		"rested":   {"then it is healed again", []time.Duration{0, s, 2 * s, 3 * s, 4 * s, 10 * s, 61 * s}, []time.Duration{0, 0, 0, 0, 0, 50 * s, 0}},
		"back":     {"a clock that is set back makes nothing rest for longer", []time.Duration{0, s, 2 * s, 3 * s, 4 * s, -30 * s, -20 * s, 31 * s}, []time.Duration{0, 0, 0, 0, 0, 60 * s, 50 * s, 0}},
		"between":  {"what is healed around that counts together", []time.Duration{0, s, -30 * s, -29 * s, -28 * s, -20 * s, 31 * s}, []time.Duration{0, 0, 0, 0, 0, 50 * s, 0}},
		"far back": {"what a clock far ahead has seen says nothing", []time.Duration{0, s, 2 * s, 3 * s, 4 * s, -300 * s}, []time.Duration{0, 0, 0, 0, 0, 0}},
		"slow":     {"drift now and then is never held up", []time.Duration{0, 20 * s, 40 * s, 60 * s, 80 * s, 100 * s, 120 * s, 140 * s}, []time.Duration{0, 0, 0, 0, 0, 0, 0, 0}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			a, app := NewAttempts(), types.NamespacedName{Name: "shop"}
			var got []time.Duration
			for _, after := range c.after {
				got = append(got, a.Heal(app, gitops.Key{Kind: "Service", Name: "web"}, at.Add(after)))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

func TestHealCountsEachObjectForItself(t *testing.T) {
	a, app := NewAttempts(), types.NamespacedName{Name: "shop"}
	fought, other := gitops.Key{Kind: "Service", Name: "web"}, gitops.Key{Kind: "Service", Name: "db"}
	for range healsAllowed + 1 {
		a.Heal(app, fought, at)
	}
	if a.Heal(app, fought, at) == 0 {
		t.Fatal("an object that is fought over is healed without end")
	}
	if pause := a.Heal(app, other, at); pause != 0 {
		t.Errorf("another object of the application waits %s", pause)
	}
	if pause := a.Heal(types.NamespacedName{Name: "bank"}, fought, at); pause != 0 {
		t.Errorf("the same object of another application waits %s", pause)
	}
	a.Forget(app)
	if pause := a.Heal(app, fought, at); pause != 0 {
		t.Errorf("after a hard refresh it still waits %s", pause)
	}
}

func TestAttemptIs(t *testing.T) {
	st := &v1alpha1.OperationState{StartedAt: opstate.Seconds(at), RetryCount: 1}
	dev := Where{Project: "web", Server: "https://dev", Namespace: "web"}
	elsewhere := func(change func(*Where)) *Attempt {
		a := &Attempt{Started: at, Retry: 1, Digest: "d", Where: dev}
		change(&a.Where)
		return a
	}
	cases := map[string]struct {
		reason string
		a      *Attempt
		want   bool
	}{
		"none":        {"nothing is under way", nil, false},
		"same":        {"the one that is under way", &Attempt{Started: at, Retry: 1, Digest: "d", Where: dev}, true},
		"other start": {"another operation began", &Attempt{Started: at.Add(-time.Second), Retry: 1, Digest: "d", Where: dev}, false},
		"other try":   {"the next try plans again", &Attempt{Started: at, Retry: 0, Digest: "d", Where: dev}, false},
		"other text":  {"other manifests need another plan", &Attempt{Started: at, Retry: 1, Digest: "e", Where: dev}, false},
		"cluster":     {"what is there was looked at elsewhere", elsewhere(func(w *Where) { w.Server = "https://prod" }), false},
		"namespace":   {"also on the same cluster", elsewhere(func(w *Where) { w.Namespace = "other" }), false},
		"project":     {"and another project permits other things", elsewhere(func(w *Where) { w.Project = "other" }), false},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := c.a.Is(st, "d", dev); got != c.want {
				t.Errorf("%s: got %t, want %t", c.reason, got, c.want)
			}
		})
	}
}
