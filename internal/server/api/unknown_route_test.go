package api

import (
	"encoding/json"
	"net/http"
	"testing"
)

func TestWhatIsNoRouteIsAProblem(t *testing.T) {
	for _, c := range []struct {
		method, path string
		code         int
		allow        string
	}{
		{"GET", "/nope", http.StatusNotFound, ""},
		{"GET", "/", http.StatusNotFound, ""},
		{"PATCH", "/applications", http.StatusMethodNotAllowed, "GET"},
		{"OPTIONS", "/applications/argocd/web-dev", http.StatusMethodNotAllowed, "GET, DELETE"},
	} {
		w := send(t, newWorld().handler(), "reader", c.method, c.path, "")
		var got struct{ Detail string }
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Detail == "" {
			t.Errorf("%s %s: %v: %s", c.method, c.path, err, w.Body)
		}
		if kind := w.Header().Get("Content-Type"); w.Code != c.code || kind != "application/problem+json" || w.Header().Get("Allow") != c.allow {
			t.Errorf("%s %s: %d, %s, allowed %q", c.method, c.path, w.Code, kind, w.Header().Get("Allow"))
		}
	}
}
