package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// gate is a ConfigMap of the first wave that is healthy when it is opened.
const gate = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: gate}\ndata: {open: 'no'}\n"

// prepareGate readies an engine for which ConfigMaps that are not open progress.
func prepareGate(t *testing.T, files map[string]string) *engine {
	t.Helper()
	e := prepare(t, hubConfig, files)
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

// TestOverrunIsOfWhatBegan: a window with syncOverrun lets a sync go on that began before
// it, with what it began with. What is pushed since waits for its end.
func TestOverrunIsOfWhatBegan(t *testing.T) {
	for name, pushed := range map[string]bool{"same": false, "pushed": true} {
		t.Run(name, func(t *testing.T) {
			c := &clock{}
			e := prepareGate(t, map[string]string{"app/gate.yaml": gate, "app/second.yaml": waved("second", "1")})
			kept := e.adjust
			e.adjust = func(cfg *Config) { kept(cfg); hasty(cfg); c.wind(cfg) }
			e.restart()
			p := e.project("nights", func(s *v1alpha1.AppProjectSpec) {
				s.SyncWindows = v1alpha1.SyncWindows{{
					Kind: v1alpha1.SyncWindowKindDeny, Schedule: time.Now().UTC().Add(time.Hour).Format("4 15 * * *"), Duration: "12h", TimeZone: "UTC",
					Applications: []string{"*"}, SyncOverrun: true,
				}}
			})
			e.app("app", "app", in("nights"), byHand, ignoresTheGate)
			e.ask("app", v1alpha1.SyncOperation{SyncOptions: v1alpha1.SyncOptions{"RespectIgnoreDifferences=true"}})
			e.until("app", "waiting for the first wave", waitsFor("gate"))
			c.skip(2 * time.Hour)
			if !pushed {
				e.edit("gate", "test", map[string]string{"open": "yes"})
				e.untilVersion("second", "1")
				e.until("app", "synced", endedAs(v1alpha1.OperationSucceeded))
				return
			}
			e.write("app/second.yaml", strings.ReplaceAll(waved("second", "1"), `version: "1"`, `version: "2"`))
			e.looksAt("app")
			e.until("app", "waiting for the window", waitsFor("deny window"))
			e.edit("gate", "test", map[string]string{"open": "yes"})
			e.stays("second", "app")
			e.amend(p, func(s *v1alpha1.AppProjectSpec) { s.SyncWindows = nil })
			e.untilVersion("second", "2")
		})
	}
}
