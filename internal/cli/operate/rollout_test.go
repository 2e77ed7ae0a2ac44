package operate

import (
	"bytes"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/rollout"
	"github.com/causeway-gitops/causeway/test/golden"
)

func TestRolloutTable(t *testing.T) {
	half := intstr.FromString("50%")
	step := func(env string, limit *intstr.IntOrString) v1alpha1.ApplicationSetRolloutStep {
		return v1alpha1.ApplicationSetRolloutStep{MaxUpdate: limit, MatchExpressions: []v1alpha1.ApplicationMatchExpression{{Key: "env", Operator: "In", Values: []string{env}}}}
	}
	entry := func(app, step string, status v1alpha1.ProgressiveSyncStatusCode, message string) rollout.Entry {
		at := v1alpha1.NewTime(clitest.Noon.Add(-90 * time.Second))
		return rollout.Entry{Application: app, Step: step, Status: status, Message: message, LastTransitionTime: &at}
	}
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "web", Annotations: map[string]string{gitops.AnnotationRolloutPaused: "true"}}}
	set.Spec.Strategy = &v1alpha1.ApplicationSetStrategy{Type: "RollingSync", RollingSync: &v1alpha1.ApplicationSetRolloutStrategy{
		Steps: []v1alpha1.ApplicationSetRolloutStep{step("dev", nil), step("prod", &half)},
	}}
	set.Status.Conditions = []v1alpha1.ApplicationSetCondition{{Type: v1alpha1.ApplicationSetConditionRolloutProgressing, Message: "Step 2 of 2 is paused: it waits for web-a, web-b"}}
	set.Status.ApplicationStatus = []rollout.Entry{
		entry("web-dev", "1", v1alpha1.ProgressiveSyncHealthy, "it is synced and healthy"),
		entry("web-b", "2", v1alpha1.ProgressiveSyncWaiting, "waits for others of its step (maxUpdate)"),
		entry("web-a", "2", v1alpha1.ProgressiveSyncProgressing, "it is synced and waits for health"),
		entry("web-x", "-1", v1alpha1.ProgressiveSyncWaiting, "no step selects it: sync it by hand"),
	}
	view, err := viewRollout(set)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := printRollout((&command.Global{Streams: command.Streams{Out: &out}, NoColor: true}), view, table.AsTable, clitest.Noon); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "rollout.txt", out.String())
	set.Spec.Strategy = nil
	if _, err := viewRollout(set); err == nil {
		t.Error("a set without steps has a roll-out")
	}
}
