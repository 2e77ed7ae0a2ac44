package app

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestCustomHealth gates a wave by what the installation says of a kind, and
// changes that while nothing in the cluster changes: by a script, by an
// expression, and by something that cannot be read.
func TestCustomHealth(t *testing.T) {
	e := prepare(t, hub, map[string]string{"app/first.yaml": waved("first", "0"), "app/second.yaml": waved("second", "1")})
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
	embeddedtest.Eventually(t, patience, func(ctx context.Context) error {
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
	e.say(cm, map[string]string{"resource.customizations.health.ConfigMap": `while true do end`})
	app := e.until("app", "Unknown", func(app *v1alpha1.Application) bool {
		return app.Status.Health.Status == v1alpha1.HealthStatusCode(gitops.HealthUnknown)
	})
	if h := app.Status.Resources[0].Health; h == nil || !strings.Contains(h.Message, "the script was stopped") {
		t.Errorf("health is %+v; want why the script was stopped", h)
	}
}

// say replaces the content of argocd-cm.
func (e *engine) say(cm *corev1.ConfigMap, data map[string]string) {
	e.t.Helper()
	cm.Data = data
	if err := e.Update(e.t.Context(), cm); err != nil {
		e.t.Fatal(err)
	}
}
