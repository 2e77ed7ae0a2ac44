package get

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

// TestMessagesOfApplications: what is wrong, else what it waits for, else why it stays as it is.
func TestMessagesOfApplications(t *testing.T) {
	back := []v1alpha1.ApplicationCondition{{Type: "Other", Message: "of no interest"}, {Type: v1alpha1.ApplicationConditionRolledBackWarning, Message: "it was rolled back"}}
	since := metav1.NewTime(clitest.Noon)
	asks := []v1alpha1.ResourceStatus{{Kind: "PersistentVolumeClaim", Name: "db", RequiresDeletionConfirmation: true}}
	cases := map[string]struct {
		reason    string
		of        fleetstatus.App
		goes      *metav1.Time
		resources []v1alpha1.ResourceStatus
		want      string
	}{
		"well":        {"that it was rolled back explains the rest", fleetstatus.App{}, nil, nil, "it was rolled back"},
		"waits":       {"it does something now", fleetstatus.App{Message: "a Job"}, nil, nil, "a Job"},
		"wrong":       {"that has to be mended first", fleetstatus.App{Message: "a Job", Problem: "no chart"}, nil, nil, "no chart"},
		"goes":        {"and what it said before is why", fleetstatus.App{Problem: "no chart"}, &since, nil, "Deleting: no chart"},
		"asks, going": {"it goes no further until somebody confirms", fleetstatus.App{Problem: "no chart"}, &since, asks, "Deleting: waiting for a confirmation of 1 deletion: causeway approve argocd/shop"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "shop", DeletionTimestamp: c.goes}}
			app.Status.Conditions, app.Status.Resources = back, c.resources
			if got := applicationMessage(app, c.of); got != c.want {
				t.Errorf("%s: %q, want %q", c.reason, got, c.want)
			}
		})
	}
}

// TestSetsTellHowFarTheyAre: an error hides that they once were, and health is counted of those that have one.
func TestSetsTellHowFarTheyAre(t *testing.T) {
	condition := func(kind v1alpha1.ApplicationSetConditionType, message string) v1alpha1.ApplicationSetCondition {
		return v1alpha1.ApplicationSetCondition{Type: kind, Status: v1alpha1.ApplicationSetConditionStatusTrue, Message: message}
	}
	done, failed := condition(v1alpha1.ApplicationSetConditionResourcesUpToDate, "all is well"), condition(v1alpha1.ApplicationSetConditionErrorOccurred, "no\nlist")
	warned := condition(v1alpha1.ApplicationSetConditionParameterWarning, "{{x}} is left")
	cases := map[string]struct {
		reason         string
		conditions     []v1alpha1.ApplicationSetCondition
		state, message string
	}{
		"new":             {"nobody has looked", nil, "Unknown", ""},
		"done":            {"what went well needs no words", []v1alpha1.ApplicationSetCondition{done}, "up to date", ""},
		"failed":          {"of before", []v1alpha1.ApplicationSetCondition{done, failed}, "Error", "no list"},
		"failed, warned":  {"a warning can wait", []v1alpha1.ApplicationSetCondition{warned, failed}, "Error", "no list"},
		"warned, unknown": {"a warning alone says nothing of how far it is", []v1alpha1.ApplicationSetCondition{warned}, "Unknown", "{{x}} is left"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "addons", CreationTimestamp: metav1.NewTime(clitest.Noon.Add(-time.Hour))}}
			set.Status = v1alpha1.ApplicationSetStatus{Conditions: c.conditions, ResourcesCount: 3, Resources: []v1alpha1.ResourceStatus{{}, {Health: &v1alpha1.HealthStatus{Status: "Healthy"}}, {Health: &v1alpha1.HealthStatus{Status: "Degraded"}}}}
			got := applicationSetRow(set, clitest.Noon).Cells
			if got[1] != "3" || got[2] != "1" || got[3] != c.state || got[5] != c.message {
				t.Errorf("%s: %q", c.reason, got)
			}
		})
	}
}
