package app

import (
	"net/http"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// TestNoEngineWithoutSettings has the hub refuse to tell what the settings say. They say as whom syncs write: an engine
// that went on without them would write as itself.
func TestNoEngineWithoutSettings(t *testing.T) {
	e := prepare(t, hub, nil)
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
