package application

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
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
		"slow":     {"drift now and then is never held up", []time.Duration{0, 20 * s, 40 * s, 60 * s, 80 * s, 100 * s, 120 * s, 140 * s}, []time.Duration{0, 0, 0, 0, 0, 0, 0, 0}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			a, app := newAttempts(), types.NamespacedName{Name: "shop"}
			var got []time.Duration
			for _, after := range c.after {
				got = append(got, a.heal(app, gitops.Key{Kind: "Service", Name: "web"}, at.Add(after)))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

func TestHealCountsEachObjectForItself(t *testing.T) {
	a, app := newAttempts(), types.NamespacedName{Name: "shop"}
	fought, other := gitops.Key{Kind: "Service", Name: "web"}, gitops.Key{Kind: "Service", Name: "db"}
	for range healsAllowed + 1 {
		a.heal(app, fought, at)
	}
	if a.heal(app, fought, at) == 0 {
		t.Fatal("an object that is fought over is healed without end")
	}
	if pause := a.heal(app, other, at); pause != 0 {
		t.Errorf("another object of the application waits %s", pause)
	}
	if pause := a.heal(types.NamespacedName{Name: "bank"}, fought, at); pause != 0 {
		t.Errorf("the same object of another application waits %s", pause)
	}
	a.forget(app)
	if pause := a.heal(app, fought, at); pause != 0 {
		t.Errorf("after a hard refresh it still waits %s", pause)
	}
}

func TestAttemptIs(t *testing.T) {
	st := &v1alpha1.OperationState{StartedAt: seconds(at), RetryCount: 1}
	dev := where{Project: "web", Server: "https://dev", Namespace: "web"}
	elsewhere := func(change func(*where)) *attempt {
		a := &attempt{started: at, retry: 1, digest: "d", where: dev}
		change(&a.where)
		return a
	}
	cases := map[string]struct {
		reason string
		a      *attempt
		want   bool
	}{
		"none":        {"nothing is under way", nil, false},
		"same":        {"the one that is under way", &attempt{started: at, retry: 1, digest: "d", where: dev}, true},
		"other start": {"another operation began", &attempt{started: at.Add(-time.Second), retry: 1, digest: "d", where: dev}, false},
		"other try":   {"the next try plans again", &attempt{started: at, retry: 0, digest: "d", where: dev}, false},
		"other text":  {"other manifests need another plan", &attempt{started: at, retry: 1, digest: "e", where: dev}, false},
		"cluster":     {"what is there was looked at elsewhere", elsewhere(func(w *where) { w.Server = "https://prod" }), false},
		"namespace":   {"also on the same cluster", elsewhere(func(w *where) { w.Namespace = "other" }), false},
		"project":     {"and another project permits other things", elsewhere(func(w *where) { w.Project = "other" }), false},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := c.a.is(st, "d", dev); got != c.want {
				t.Errorf("%s: got %t, want %t", c.reason, got, c.want)
			}
		})
	}
}
