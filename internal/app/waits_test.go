package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// gate is a ConfigMap of the first wave that is healthy when it is opened.
const gate = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: gate}\ndata: {open: 'no'}\n"

// prepareGate readies an engine for which ConfigMaps that are not open progress.
func prepareGate(t *testing.T, files map[string]string) *engine {
	t.Helper()
	e := prepare(t, hub, files)
	e.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.SettingsName}, Data: map[string]string{
		"resource.customizations.readyExpressions.ConfigMap": `!has(object.data.open) || object.data.open == "yes"`,
	}})
	e.keep()
	return e
}

func ignoresTheGate(app *v1alpha1.Application) {
	app.Spec.IgnoreDifferences = v1alpha1.IgnoreDifferences{{Kind: "ConfigMap", Name: "gate", JSONPointers: []string{"/data/open"}}}
}

// outcomes tells what a sync says of its objects.
func outcomes(app *v1alpha1.Application) []string {
	var out []string
	for _, r := range app.Status.OperationState.SyncResult.Resources {
		out = append(out, fmt.Sprintf("%s %s %s %s %s", r.Kind, r.Name, r.SyncPhase, r.Status, r.HookPhase))
	}
	return out
}

// TestSyncThatWaitsGoesOnAsPlanned has let go of its objects while it waits, and
// sends those that it was planned with, whatever its Application says of
// comparisons by then. What it has done stands, and is not done again.
func TestSyncThatWaitsGoesOnAsPlanned(t *testing.T) {
	for name, restarts := range map[string]bool{"looked at": false, "started again": true} {
		t.Run(name, func(t *testing.T) {
			e := prepareGate(t, map[string]string{
				"app/hook.yaml": hookJob("before", preSync, ""), "app/gate.yaml": gate, "app/second.yaml": waved("second", "1"),
				"app/after.yaml": hookJob("after", "argocd.argoproj.io/hook: PostSync", ""),
			})
			stop := e.restart()
			e.app("app", "app", noRetry)
			waiting := e.until("app", "waiting for the first wave, with the hook's end on record", func(app *v1alpha1.Application) bool {
				return waitsFor("gate")(app) && slices.Contains(outcomes(app), "Job before PreSync Synced Succeeded")
			})
			hook := e.jobUID("before")
			e.change("app", ignoresTheGate)
			e.stays("second", "app")
			if restarts {
				stop()
				e.restart()
				e.stays("second", "app")
			}
			e.edit("gate", "test", map[string]string{"open": "yes"})
			app := e.until("app", "good", good)
			if !app.Status.OperationState.StartedAt.Equal(&waiting.Status.OperationState.StartedAt) {
				t.Error("another sync has begun")
			}
			want := []string{
				"ConfigMap gate Sync Synced Running", "ConfigMap second Sync Synced Running",
				"Job after PostSync Synced Succeeded", "Job before PreSync Synced Succeeded",
			}
			if got := outcomes(app); !slices.Equal(got, want) {
				t.Errorf("the sync tells %q, and has done %q", got, want)
			}
			if e.jobUID("before") != hook {
				t.Error("the hook has run again")
			}
			second, err := e.configMap("second")
			if err != nil || second.Data["version"] != "1" || second.Annotations["argocd.argoproj.io/tracking-id"] == "" {
				t.Errorf("the second wave brought %+v, %v", second, err)
			}
		})
	}
}

// TestRollbackThatWaitsGoesOn with the manifests of then, of which none is kept
// while it waits.
func TestRollbackThatWaitsGoesOn(t *testing.T) {
	e := prepareGate(t, map[string]string{"app/gate.yaml": gate, "app/second.yaml": waved("second", "1")})
	e.restart()
	e.app("app", "app", noRetry, ignoresTheGate)
	e.until("app", "waiting for the first wave", waitsFor("gate"))
	e.edit("gate", "test", map[string]string{"open": "yes"})
	e.until("app", "good", good)
	e.write("app/second.yaml", strings.ReplaceAll(waved("second", "1"), `version: "1"`, `version: "2"`))
	e.untilVersion("second", "2")
	h := e.until("app", "good at version 2", func(app *v1alpha1.Application) bool { return good(app) && len(app.Status.History) == 2 }).Status.History

	e.edit("gate", "test", map[string]string{"open": "no"})
	e.goBack("app", strconv.FormatInt(h[0].ID, 10), h[0])
	e.until("app", "going back, and waiting", func(app *v1alpha1.Application) bool {
		return waitsFor("gate")(app) && app.Status.OperationState.Operation.InitiatedBy.Username == "ann"
	})
	e.change("app", func(app *v1alpha1.Application) {
		app.Spec.IgnoreDifferences[0].JSONPointers = []string{"/data/open", "/data/other"}
	})
	e.looksAt("app")
	if second, err := e.configMap("second"); err != nil || second.Data["version"] != "2" {
		t.Errorf("it did not wait: %+v, %v", second, err)
	}
	e.edit("gate", "test", map[string]string{"open": "yes"})
	e.untilVersion("second", "1")
	app := e.until("app", "rolled back", rolled)
	if got := outcomes(app); len(got) != 2 {
		t.Errorf("the rollback tells %q", got)
	}
}
