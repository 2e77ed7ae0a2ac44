package application

import (
	"fmt"
	"slices"
	"strings"
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
			a, app := newAttempts(leastPlans), types.NamespacedName{Name: "shop"}
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
	a, app := newAttempts(leastPlans), types.NamespacedName{Name: "shop"}
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
	cases := map[string]struct {
		reason string
		a      *attempt
		want   bool
	}{
		"none":        {"nothing is under way", nil, false},
		"same":        {"the one that is under way", &attempt{started: at, retry: 1, digest: "d"}, true},
		"other start": {"another operation began", &attempt{started: at.Add(-time.Second), retry: 1, digest: "d"}, false},
		"other try":   {"the next try plans again", &attempt{started: at, retry: 0, digest: "d"}, false},
		"other text":  {"other manifests need another plan", &attempt{started: at, retry: 1, digest: "e"}, false},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := c.a.is(st, "d"); got != c.want {
				t.Errorf("%s: got %t, want %t", c.reason, got, c.want)
			}
		})
	}
}

// What is kept of objects that were healed is no more than of those that were of late.
func TestHealsAreForgotten(t *testing.T) {
	a, app := newAttempts(leastPlans), types.NamespacedName{Name: "shop"}
	for i := range 100 * fewestHealed {
		a.heal(app, gitops.Key{Kind: "ConfigMap", Name: fmt.Sprint("web-", i)}, at.Add(time.Duration(i)*healWindow))
	}
	if kept := len(a.heals[app].of); kept > fewestHealed {
		t.Errorf("%d objects are kept that are healed no more", kept)
	}
}

// TestPlansOfSyncsThatWait lets go of the largest plan of the project that keeps most.
func TestPlansOfSyncsThatWait(t *testing.T) {
	name := func(of string) types.NamespacedName { return types.NamespacedName{Name: of} }
	cases := map[string]struct {
		reason string
		most   int64
		busy   []string
		gone   []string
	}{
		"Room":    {"what fits stays: nothing is planned anew", 100, nil, nil},
		"Least":   {"the project that keeps most gives, and its largest first", 90, nil, []string{"red-large"}},
		"Each":    {"until all have as little", 20, nil, []string{"blue", "red-large", "red-small"}},
		"Nothing": {"all of them", -1, nil, []string{"blue", "green", "red-large", "red-small"}},
		"Busy":    {"what is gone by now is none of those that wait", 60, []string{"red-large"}, nil},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			s := newAttempts(c.most)
			for of, bytes := range map[string]int64{"red-large": 40, "red-small": 25, "blue": 20, "green": 15} {
				project, _, _ := strings.Cut(of, "-")
				s.put(name(of), &attempt{started: at, digest: "d", plan: &gitops.Plan{}, bytes: bytes, project: project, waits: at, busy: true})
			}
			for _, of := range []string{"red-large", "red-small", "blue", "green"} {
				if !slices.Contains(c.busy, of) {
					s.rest(name(of))
				}
			}
			var gone []string
			for _, of := range []string{"blue", "green", "red-large", "red-small"} {
				a := s.get(name(of))
				if a.plan == nil {
					gone = append(gone, of)
				}
				if !a.waits.Equal(at) || !a.is(&v1alpha1.OperationState{StartedAt: seconds(at)}, "d") {
					t.Errorf("%s is another attempt now: %+v", of, a)
				}
			}
			if diff := cmp.Diff(c.gone, gone); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}
