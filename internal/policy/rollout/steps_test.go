package rollout

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func in(key string, values ...string) v1alpha1.ApplicationSetRolloutStep {
	return v1alpha1.ApplicationSetRolloutStep{MatchExpressions: []v1alpha1.ApplicationMatchExpression{{Key: key, Operator: "In", Values: values}}}
}

func notIn(key string, values ...string) v1alpha1.ApplicationSetRolloutStep {
	s := in(key, values...)
	s.MatchExpressions[0].Operator = "NotIn"
	return s
}

func TestStepOf(t *testing.T) {
	both := in("env", "prod")
	both.MatchExpressions = append(both.MatchExpressions, in("region", "eu").MatchExpressions...)
	cases := map[string]struct {
		reason string
		steps  []v1alpha1.ApplicationSetRolloutStep
		labels map[string]string
		want   int
	}{
		"first that matches": {"an application is in one step", []v1alpha1.ApplicationSetRolloutStep{in("env", "dev"), in("env", "stg", "prod"), in("env", "prod")}, map[string]string{"env": "prod"}, 2},
		"none":               {"it is not synced by the roll-out", []v1alpha1.ApplicationSetRolloutStep{in("env", "dev")}, map[string]string{"env": "qa"}, Unmatched},
		"In, no label":       {"an absent label is in no list", []v1alpha1.ApplicationSetRolloutStep{in("env", "")}, nil, Unmatched},
		"NotIn, no label":    {"an absent label is not in the list", []v1alpha1.ApplicationSetRolloutStep{notIn("env", "dev")}, nil, 1},
		"NotIn, listed":      {"a listed one is left out", []v1alpha1.ApplicationSetRolloutStep{notIn("env", "dev")}, map[string]string{"env": "dev"}, Unmatched},
		"all expressions":    {"each has to match", []v1alpha1.ApplicationSetRolloutStep{both}, map[string]string{"env": "prod", "region": "us"}, Unmatched},
		"no expressions":     {"as in Argo CD, it selects all", []v1alpha1.ApplicationSetRolloutStep{{}}, map[string]string{"env": "prod"}, 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := StepOf(tc.steps, tc.labels); got != tc.want {
				t.Errorf("%s: step %d, want %d", tc.reason, got, tc.want)
			}
		})
	}
}

func TestAtOnce(t *testing.T) {
	number := func(n int) *intstr.IntOrString { v := intstr.FromInt32(int32(n)); return &v }
	share := func(s string) *intstr.IntOrString { v := intstr.FromString(s); return &v }
	cases := map[string]struct {
		reason string
		limit  *intstr.IntOrString
		total  int
		want   int
	}{
		"none":            {"all at once", nil, 7, 7},
		"a number":        {"as it says", number(3), 7, 3},
		"zero":            {"nothing is updated", number(0), 7, 0},
		"below zero":      {"nothing is updated", number(-1), 7, 0},
		"a share":         {"rounded down", share("50%"), 7, 3},
		"a small share":   {"at least one", share("1%"), 7, 1},
		"no share at all": {"nothing is updated", share("0%"), 7, 0},
		"no number":       {"as in Argo CD, one at a time", share("many"), 7, 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := atOnce(tc.limit, tc.total); got != tc.want {
				t.Errorf("%s: %d, want %d", tc.reason, got, tc.want)
			}
		})
	}
}

func TestOf(t *testing.T) {
	with := func(s *v1alpha1.ApplicationSetStrategy) *v1alpha1.ApplicationSet {
		return &v1alpha1.ApplicationSet{Spec: v1alpha1.ApplicationSetSpec{Strategy: s}}
	}
	wrong := in("env", "dev")
	wrong.MatchExpressions[0].Operator = "Exists"
	roll := func(steps ...v1alpha1.ApplicationSetRolloutStep) *v1alpha1.ApplicationSetStrategy {
		return &v1alpha1.ApplicationSetStrategy{Type: "RollingSync", RollingSync: &v1alpha1.ApplicationSetRolloutStrategy{Steps: steps}}
	}
	cases := map[string]struct {
		reason   string
		strategy *v1alpha1.ApplicationSetStrategy
		steps    int
		problem  string
	}{
		"absent":      {"all at once is the default", nil, 0, ""},
		"all at once": {"steps have no effect then", &v1alpha1.ApplicationSetStrategy{Type: "AllAtOnce", RollingSync: roll(in("a", "b")).RollingSync}, 0, ""},
		"steps":       {"they are what counts", roll(in("a", "b"), in("a", "c")), 2, ""},
		"no steps":    {"nothing could ever be synced", roll(), 0, "no steps"},
		"operator":    {"Argo CD would select nothing, and tell it in a log", roll(wrong), 0, `"Exists"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			steps, err := Of(with(tc.strategy))
			if len(steps) != tc.steps || (err != nil) != (tc.problem != "") || err != nil && !strings.Contains(err.Error(), tc.problem) {
				t.Errorf("%s: %d steps, %v", tc.reason, len(steps), err)
			}
		})
	}
}

func TestBackwards(t *testing.T) {
	steps := []v1alpha1.ApplicationSetRolloutStep{in("env", "dev"), in("env", "prod")}
	labels := map[string]map[string]string{"d": {"env": "dev"}, "p2": {"env": "prod"}, "p1": {"env": "prod"}, "x": nil}
	names, step := Backwards(steps, labels)
	if diff := cmp.Diff([]string{"p1", "p2"}, names); diff != "" || step != 2 {
		t.Errorf("the last step goes first: step %d, %s", step, diff)
	}
	delete(labels, "p1")
	delete(labels, "p2")
	delete(labels, "d")
	if names, _ := Backwards(steps, labels); names != nil {
		t.Errorf("what no step selects is the garbage collector's: %v", names)
	}
}

// An error of the set comes before what its roll-out says.
func TestMessage(t *testing.T) {
	condition := func(kind v1alpha1.ApplicationSetConditionType, status v1alpha1.ApplicationSetConditionStatus, message string) v1alpha1.ApplicationSetCondition {
		return v1alpha1.ApplicationSetCondition{Type: kind, Status: status, Message: message}
	}
	complete := condition(v1alpha1.ApplicationSetConditionRolloutProgressing, "False", "The roll-out is complete")
	atStep := condition(v1alpha1.ApplicationSetConditionRolloutProgressing, "True", "Step 1 of 2 is rolled out")
	broken := condition(v1alpha1.ApplicationSetConditionErrorOccurred, "True", "two have one name")
	well := condition(v1alpha1.ApplicationSetConditionErrorOccurred, "False", "All generated")
	cases := map[string]struct {
		reason string
		list   []v1alpha1.ApplicationSetCondition
		want   string
	}{
		"complete": {"nothing is wrong", []v1alpha1.ApplicationSetCondition{well, complete}, "The roll-out is complete"},
		"broken":   {"what failed is not complete", []v1alpha1.ApplicationSetCondition{complete, broken}, "the set has an error: two have one name"},
		"at step":  {"both count", []v1alpha1.ApplicationSetCondition{broken, atStep}, "the set has an error: two have one name; Step 1 of 2 is rolled out"},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := Message(c.list); got != c.want {
				t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
			}
		})
	}
}

// Only what goes in steps is paused, and what others wrote beside it stays.
func TestPause(t *testing.T) {
	set := &v1alpha1.ApplicationSet{}
	for _, hold := range []func(*v1alpha1.ApplicationSet) error{Pause, Resume} {
		if err := hold(set); err == nil || set.Annotations != nil {
			t.Errorf("a set without steps: %v, %v", err, set.Annotations)
		}
	}
	set.Annotations = map[string]string{"team": "shop"}
	set.Spec.Strategy = &v1alpha1.ApplicationSetStrategy{Type: v1alpha1.ApplicationSetStrategyRollingSync, RollingSync: &v1alpha1.ApplicationSetRolloutStrategy{Steps: make([]v1alpha1.ApplicationSetRolloutStep, 1)}}
	for i, hold := range []func(*v1alpha1.ApplicationSet) error{Pause, Pause, Resume, Resume} {
		if err := hold(set); err != nil || Paused(set) != (i < 2) || set.Annotations["team"] != "shop" {
			t.Errorf("%d: %v, %v", i, err, set.Annotations)
		}
	}
	if _, left := set.Annotations[gitops.AnnotationRolloutPaused]; left {
		t.Error("the annotation is left")
	}
}
