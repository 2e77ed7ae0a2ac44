package applicationset

import (
	"errors"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/policy/rollout"
)

func TestRolloutOfAFailedSetIsNotComplete(t *testing.T) {
	const words = "Nothing is rolled out, the set has an error: two have one name"
	broken := errors.New("two have one name")
	set := func() *v1alpha1.ApplicationSet {
		s := &v1alpha1.ApplicationSet{}
		s.Spec.Strategy = &v1alpha1.ApplicationSetStrategy{Type: "RollingSync", RollingSync: &v1alpha1.ApplicationSetRolloutStrategy{
			Steps: []v1alpha1.ApplicationSetRolloutStep{{}},
		}}
		return s
	}
	cases := map[string]struct {
		reason string
		do     func(o *roller)
		want   string
	}{
		"well":          {"all is rolled out", func(o *roller) { o.condition(rollout.Decision{}, nil) }, "The roll-out is complete"},
		"not generated": {"what was complete is not known to be", func(o *roller) { o.condition(rollout.Decision{}, nil); stalled(o.set, broken, time.Now()) }, words},
		"rejected":      {"some are missing", func(o *roller) { o.condition(rollout.Decision{}, broken) }, words},
		"at a step": {"the step stays", func(o *roller) {
			o.condition(rollout.Decision{Step: 1, Holding: []string{"web"}}, nil)
			stalled(o.set, broken, time.Now())
		},
			"Step 1 of 1 is rolled out: it waits for web"},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			o := &roller{set: set(), steps: make([]v1alpha1.ApplicationSetRolloutStep, 1), now: time.Now()}
			c.do(o)
			if got := o.set.Status.Conditions; len(got) != 1 || got[0].Message != c.want {
				t.Errorf("%s: got %+v, want %q", c.reason, got, c.want)
			}
		})
	}
}
