package app

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestRuleThatNeverEndsLeavesTheSyncUnknown(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1})
	e.app("app", "app")
	e.until("app", "Synced and Healthy", good)
	cm, err := e.configMap("settings")
	if err != nil {
		t.Fatal(err)
	}
	e.change("app", func(app *v1alpha1.Application) {
		app.Spec.IgnoreDifferences = v1alpha1.IgnoreDifferences{{Kind: "ConfigMap", JQPathExpressions: []string{".data | until(false; .)"}}}
	})
	cm.Data["version"] = "by hand"
	if err := e.Update(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	app := e.until("app", "Unknown, with a reason", func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeUnknown && condition(app, v1alpha1.ApplicationConditionComparisonError) != ""
	})
	if text := condition(app, v1alpha1.ApplicationConditionComparisonError); !strings.Contains(text, "until(false; .)") {
		t.Errorf("the expression is not named in %q", text)
	}
	e.change("app", func(app *v1alpha1.Application) {
		app.Spec.IgnoreDifferences = v1alpha1.IgnoreDifferences{{Kind: "ConfigMap", JQPathExpressions: []string{"[range(1e9)] | .a"}}}
	})
	e.until("app", "Unknown, since it takes too much", complains(v1alpha1.ApplicationConditionComparisonError, "range(1e9)", "of ignoreDifferences: it "))
	e.change("app", func(app *v1alpha1.Application) { app.Spec.IgnoreDifferences = nil })
	e.until("app", "Synced again", good)
}
