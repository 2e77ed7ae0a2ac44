package report

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func moment(t time.Time) *v1alpha1.Time {
	m := v1alpha1.NewTime(t)
	return &m
}

func TestSetConditions(t *testing.T) {
	before := moment(at.Add(-time.Hour))
	mine, other := v1alpha1.ApplicationConditionComparisonError, v1alpha1.ApplicationConditionSyncError
	cases := map[string]struct {
		reason   string
		old, set []v1alpha1.ApplicationCondition
		want     []v1alpha1.ApplicationCondition
	}{
		"first":      {reason: "a new one begins now", set: []v1alpha1.ApplicationCondition{{Type: mine, Message: "m"}}, want: []v1alpha1.ApplicationCondition{{Type: mine, Message: "m", LastTransitionTime: moment(at)}}},
		"same":       {reason: "an unchanged one keeps its time, so that nothing is written", old: []v1alpha1.ApplicationCondition{{Type: mine, Message: "m", LastTransitionTime: before}}, set: []v1alpha1.ApplicationCondition{{Type: mine, Message: "m"}}, want: []v1alpha1.ApplicationCondition{{Type: mine, Message: "m", LastTransitionTime: before}}},
		"other text": {reason: "another message is another event", old: []v1alpha1.ApplicationCondition{{Type: mine, Message: "m", LastTransitionTime: before}}, set: []v1alpha1.ApplicationCondition{{Type: mine, Message: "n"}}, want: []v1alpha1.ApplicationCondition{{Type: mine, Message: "n", LastTransitionTime: moment(at)}}},
		"cleared":    {reason: "the last one leaves no empty list behind", old: []v1alpha1.ApplicationCondition{{Type: mine, Message: "m", LastTransitionTime: before}}},
		"foreign":    {reason: "conditions of other types stay", old: []v1alpha1.ApplicationCondition{{Type: other, Message: "m", LastTransitionTime: before}, {Type: mine, Message: "m"}}, want: []v1alpha1.ApplicationCondition{{Type: other, Message: "m", LastTransitionTime: before}}},
		"no time":    {reason: "one that came without a time gets one", old: []v1alpha1.ApplicationCondition{{Type: mine, Message: "m"}}, set: []v1alpha1.ApplicationCondition{{Type: mine, Message: "m"}}, want: []v1alpha1.ApplicationCondition{{Type: mine, Message: "m", LastTransitionTime: moment(at)}}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Status.Conditions = c.old
			SetConditions(app, []string{mine}, c.set, at.Add(time.Millisecond))
			if diff := cmp.Diff(c.want, app.Status.Conditions); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

func TestDescribeApplication(t *testing.T) {
	boom := errors.New("boom")
	healthy := v1alpha1.AppHealthStatus{Status: v1alpha1.HealthStatusDegraded, LastTransitionTime: moment(at.Add(-time.Hour))}
	cases := map[string]struct {
		reason    string
		failure   *Failure
		health    v1alpha1.AppHealthStatus
		condition string
		sync      v1alpha1.SyncStatusCode
		want      v1alpha1.HealthStatusCode
	}{
		"success": {"success clears the failure and leaves the rest", nil, healthy, "", v1alpha1.SyncStatusCodeSynced, v1alpha1.HealthStatusDegraded},
		"spec": {"a spec that is not understood makes the health unknown too", &Failure{Stage: Spec, Err: boom}, healthy,
			v1alpha1.ApplicationConditionInvalidSpecError, v1alpha1.SyncStatusCodeUnknown, v1alpha1.HealthStatusUnknown},
		"fetch": {"what runs still runs", &Failure{Stage: Fetch, Err: boom}, healthy,
			v1alpha1.ApplicationConditionComparisonError, v1alpha1.SyncStatusCodeUnknown, v1alpha1.HealthStatusDegraded},
		"render first": {"what was never seen is called healthy, as Argo CD does", &Failure{Stage: Render, Err: boom}, v1alpha1.AppHealthStatus{},
			v1alpha1.ApplicationConditionComparisonError, v1alpha1.SyncStatusCodeUnknown, v1alpha1.HealthStatusHealthy},
		"plan": {"nothing was compared", &Failure{Stage: Plan, Err: boom}, healthy,
			v1alpha1.ApplicationConditionComparisonError, v1alpha1.SyncStatusCodeUnknown, v1alpha1.HealthStatusDegraded},
		"apply": {"the comparison holds although the sync failed", &Failure{Stage: Apply, Err: boom}, healthy,
			v1alpha1.ApplicationConditionUnknownError, v1alpha1.SyncStatusCodeSynced, v1alpha1.HealthStatusDegraded},
		"delete": {"a deletion that hangs says nothing of the objects", &Failure{Stage: Delete, Err: boom}, healthy,
			v1alpha1.ApplicationConditionDeletionError, v1alpha1.SyncStatusCodeSynced, v1alpha1.HealthStatusDegraded},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Status.Sync.Status, app.Status.Health = v1alpha1.SyncStatusCodeSynced, c.health
			app.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionUnknownError, Message: "an earlier failure"}}
			Applications{}.Describe(app, c.failure, at)
			var want []v1alpha1.ApplicationCondition
			if c.condition != "" {
				want = []v1alpha1.ApplicationCondition{{Type: c.condition, Message: "boom", LastTransitionTime: moment(at)}}
			}
			if diff := cmp.Diff(want, app.Status.Conditions); diff != "" {
				t.Errorf("%s: conditions (-want +got):\n%s", c.reason, diff)
			}
			if app.Status.Sync.Status != c.sync || app.Status.Health.Status != c.want {
				t.Errorf("%s: got %s and %s, want %s and %s", c.reason, app.Status.Sync.Status, app.Status.Health.Status, c.sync, c.want)
			}
		})
	}
}

func TestDescribeApplicationSet(t *testing.T) {
	type states map[v1alpha1.ApplicationSetConditionType]v1alpha1.ApplicationSetConditionStatus
	failed, made, current := v1alpha1.ApplicationSetConditionErrorOccurred, v1alpha1.ApplicationSetConditionParametersGenerated, v1alpha1.ApplicationSetConditionResourcesUpToDate
	cases := map[string]struct {
		reason  string
		failure *Failure
		want    states
	}{
		"success":  {"all is well", nil, states{failed: isFalse, made: isTrue, current: isTrue}},
		"generate": {"no parameters came out", &Failure{Stage: Generate, Err: errors.New("boom")}, states{failed: isTrue, made: isFalse, current: isFalse}},
		"apply":    {"the parameters were fine", &Failure{Stage: Apply, Err: errors.New("boom")}, states{failed: isTrue, made: isTrue, current: isFalse}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			set := &v1alpha1.ApplicationSet{}
			ApplicationSets{}.Describe(set, c.failure, at)
			got := states{}
			for _, condition := range set.Status.Conditions {
				got[condition.Type] = condition.Status
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
			before := set.DeepCopy()
			ApplicationSets{}.Describe(set, c.failure, at.Add(time.Hour))
			if diff := cmp.Diff(before, set); diff != "" {
				t.Errorf("the same outcome an hour later changes the set (-before +after):\n%s", diff)
			}
		})
	}
}

func TestDescribeLeavesOtherKindsAlone(t *testing.T) {
	project := &v1alpha1.AppProject{}
	Applications{}.Describe(project, &Failure{Err: errors.New("boom")}, at)
	ApplicationSets{}.Describe(project, &Failure{Err: errors.New("boom")}, at)
	if diff := cmp.Diff(&v1alpha1.AppProject{}, project); diff != "" {
		t.Errorf("a project was changed:\n%s", diff)
	}
}
