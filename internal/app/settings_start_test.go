package app

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// TestNoEngineWithoutSettings has the hub refuse to tell what the settings say. They say as whom syncs write: an engine
// that went on without them would write as itself.
func TestNoEngineWithoutSettings(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	cfg := Config{Hub: rest.CopyConfig(e.hub), Namespace: e.namespace, CacheDir: t.TempDir()}
	cfg.Hub.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTrips{next, func(request *http.Request) *http.Response {
			if !strings.HasSuffix(request.URL.Path, "/configmaps/argocd-cm") {
				return nil
			}
			return &http.Response{StatusCode: http.StatusForbidden, Status: "403 Forbidden", Body: http.NoBody, Header: http.Header{}, Request: request}
		}}
	})
	err := Run(t.Context(), cfg)
	if err == nil || !strings.Contains(err.Error(), "argocd-cm") || !strings.Contains(err.Error(), "let the engine get") {
		t.Errorf("it ended with %v", err)
	}
}

// TestSettingsThatAreGoneHold has the ConfigMap deleted, as with what installed it: what it said holds until another one
// says something else.
func TestSettingsThatAreGoneHold(t *testing.T) {
	e := start(t, nil)
	said := func() string { return e.settings.Data()[v1alpha1.SettingInstallation] }
	settings := func(data map[string]string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.SettingsName, Namespace: e.namespace}, Data: data}
	}
	until := func(want string) {
		t.Helper()
		embeddedtest.Eventually(t, func(context.Context) error {
			if got := said(); got != want {
				return fmt.Errorf("the settings say %q, want %q", got, want)
			}
			return nil
		})
	}
	e.make(settings(map[string]string{v1alpha1.SettingInstallation: "ours"}))
	until("ours")
	if err := e.Delete(t.Context(), settings(nil)); err != nil {
		t.Fatal(err)
	}
	e.untilEvent("its settings hold")
	if said() != "ours" {
		t.Errorf("the settings say %q", said())
	}
	e.make(settings(nil))
	until("")
}
