package app

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
)

// TestCustomHealth gates a wave by what the installation says of a kind, and
// changes that while nothing in the cluster changes: by a script, by an
// expression, and by something that cannot be read.
func TestCustomHealth(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{"app/first.yaml": waved("first", "0"), "app/second.yaml": waved("second", "1")})
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: v1alpha1.SettingsName},
		Data: map[string]string{"resource.customizations.health.ConfigMap": `
			if obj.data.version == "2" then return {status = "Healthy"} end
			return {status = "Progressing", message = "waiting for version 2"}`},
	}
	if err := e.Create(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	e.restart()
	e.app("app", "app")
	e.until("app", "waiting for its first wave", waitsFor("first"))
	e.say(cm, map[string]string{"resource.customizations.readyExpressions.ConfigMap": `object.data.version == "1"`})
	e.until("app", "Synced and Healthy", good)

	e.say(cm, map[string]string{"resource.customizations.healthy.ConfigMap": "x"})
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		var events corev1.EventList
		if err := e.List(ctx, &events, client.InNamespace(e.namespace)); err != nil {
			return err
		}
		for i := range events.Items {
			if o := &events.Items[i]; o.Reason == reasonCustomization && strings.Contains(o.Message, "healthy") {
				return nil
			}
		}
		return errors.New("nobody told of the mistake")
	})
	if got := e.checks.Custom(); !e.checks.Has("", "ConfigMap") || len(got.Warnings) != 0 {
		t.Error("a mistake in argocd-cm took away what it said before")
	}
}

// TestScriptThatNeverEnds is stopped, and says so at the object.
func TestScriptThatNeverEnds(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{"app/a.yaml": configMapV1})
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: v1alpha1.SettingsName},
		Data:       map[string]string{"resource.customizations.health.ConfigMap": `while true do end`},
	}
	if err := e.Create(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	e.restart()
	e.app("app", "app")
	app := e.until("app", "Unknown", func(app *v1alpha1.Application) bool {
		return app.Status.Health.Status == v1alpha1.HealthStatusCode(gitops.HealthUnknown)
	})
	if h := app.Status.Resources[0].Health; h == nil || !strings.Contains(h.Message, "the script was stopped") {
		t.Errorf("health is %+v; want why the script was stopped", h)
	}
}

// TestHealthOfOwnKinds judges kinds by their conditions, and by the joined
// form of the customizations, which brings an action, too.
func TestHealthOfOwnKinds(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	e.write("widget/a.yaml", e.here(widgetDefinition))
	e.write("widget/b.yaml", e.here("{apiVersion: NAMESPACE.example.com/v1, kind: Widget, metadata: {name: one}, spec: {size: 1}}"))
	e.write("plain/a.yaml", configMapV1)
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.SettingsName}, Data: map[string]string{
		v1alpha1.SettingConditions: "true", v1alpha1.SettingCustomizations: joinedForm,
	}}
	e.make(settings)
	e.restart()
	e.app("widget", "widget", noSelfHeal)
	e.app("plain", "plain", noSelfHeal)
	untilHealth := func(name string, want v1alpha1.HealthStatusCode) *v1alpha1.Application {
		t.Helper()
		return e.until(name, string(want), func(app *v1alpha1.Application) bool { return succeeded(app) && app.Status.Health.Status == want })
	}
	untilHealth("widget", v1alpha1.HealthStatusHealthy) // no conditions yet
	widget := e.read(schema.GroupVersionKind{Group: e.namespace + ".example.com", Version: "v1", Kind: "Widget"}, "one")
	for _, step := range []struct {
		reason, status string
		want           v1alpha1.HealthStatusCode
	}{
		{"not ready", `{"conditions": [{"type": "Ready", "status": "False", "message": "two of three"}]}`, v1alpha1.HealthStatusProgressing},
		{"stalled", `{"conditions": [{"type": "Stalled", "status": "True", "message": "no quota"}, {"type": "Ready", "status": "False"}]}`, v1alpha1.HealthStatusDegraded},
		{"ready", `{"observedGeneration": 100, "conditions": [{"type": "Ready", "status": "True"}]}`, v1alpha1.HealthStatusHealthy},
		{"of an older spec", `{"observedGeneration": 0, "conditions": [{"type": "Ready", "status": "True"}]}`, v1alpha1.HealthStatusProgressing},
	} {
		patch := client.RawPatch(types.MergePatchType, []byte(`{"status": `+step.status+`}`))
		if err := e.Patch(t.Context(), widget, patch, client.FieldOwner("widget-controller")); err != nil {
			t.Fatal(err)
		}
		untilHealth("widget", step.want)
	}
	app := untilHealth("plain", v1alpha1.HealthStatusSuspended)
	if h := app.Status.Resources[0].Health; h.Message != "bump me" {
		t.Errorf("the health is %+v", h)
	}
	act := inspect.Act{Object: gitops.Key{Kind: "ConfigMap", Namespace: e.namespace, Name: "settings"}, Version: "v1", Action: "bump"}
	if _, err := e.inspect().Act(t.Context(), app, act); err != nil {
		t.Fatal(err)
	}
	e.untilVersion("settings", "2")
	e.until("plain", "healthy by its action", func(app *v1alpha1.Application) bool { return app.Status.Health.Status == v1alpha1.HealthStatusHealthy })

	e.say(settings, map[string]string{"resource.customizations.health.ConfigMap": "local t = {} while true do t[#t+1] = {} end"})
	untilHealth("widget", v1alpha1.HealthStatusHealthy) // conditions do not count any more
	e.until("plain", "unknown, with the reason", func(app *v1alpha1.Application) bool {
		h := app.Status.Resources[0].Health
		return h != nil && string(h.Status) == string(gitops.HealthUnknown) && strings.Contains(h.Message, "the script was stopped")
	})
}

const joinedForm = `
ConfigMap:
  health.lua: |
    if obj.data.version == "2" then return {status = "Healthy"} end
    return {status = "Suspended", message = "bump me"}
  actions: |
    discovery.lua: |
      return {bump = {disabled = obj.data.version == "2"}}
    definitions:
    - name: bump
      action.lua: |
        obj.data.version = "2"
        return obj
`

// say replaces the content of argocd-cm.
func (e *engine) say(cm *corev1.ConfigMap, data map[string]string) {
	e.t.Helper()
	cm.Data = data
	if err := e.Update(e.t.Context(), cm); err != nil {
		e.t.Fatal(err)
	}
}
