package target

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
)

const (
	servicesRoute = "GET /api/v1/namespaces/argocd/services"
	tokenRoute    = "GET /api/v1/namespaces/argocd/secrets/causeway-history"
	proxyRoute    = "GET /api/v1/namespaces/argocd/services/http:engine:http/proxy/"
)

// engineRoutes are those of a hub whose engine answers its history so.
func engineRoutes(answer any) map[string]any {
	return map[string]any{
		servicesRoute: corev1.ServiceList{Items: []corev1.Service{{ObjectMeta: metav1.ObjectMeta{Name: "engine"}}}},
		tokenRoute:    corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: chronicle.Secret}, Data: map[string][]byte{"token": []byte("let-in")}},
		proxyRoute:    answer,
	}
}

// TestHistoryOfTheEngineInTheHub is asked by way of the API server, with the token that shows that it has let in.
func TestHistoryOfTheEngineInTheHub(t *testing.T) {
	var asked, with string
	h := hubAt(t, engineRoutes(func(w http.ResponseWriter, r *http.Request) {
		asked, with = r.URL.RequestURI(), r.Header.Get(syncs.Header)
		_, _ = w.Write([]byte(`[{"id": "a"}]`))
	}))
	past, err := h.Historian(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	list, err := past.List(t.Context(), "argocd", "shop", 7)
	if err != nil || len(list) != 1 || list[0].ID != "a" {
		t.Errorf("it tells %v, %v", list, err)
	}
	if want := "/api/v1/namespaces/argocd/services/http:engine:http/proxy/api/v1/history/apps/argocd/shop?limit=7"; asked != want || with != "let-in" {
		t.Errorf("it was asked %s with %q", asked, with)
	}
}

// TestHistoriesThatCannotBeRead tells what is missing: an engine, a right, an answer.
func TestHistoriesThatCannotBeRead(t *testing.T) {
	without := func(route string, answer any) map[string]any {
		routes := engineRoutes(nil)
		routes[route] = answer
		return routes
	}
	text := func(code int, text string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(code)
			_, _ = w.Write([]byte(text))
		}
	}
	cases := map[string]struct {
		reason string
		routes map[string]any
		want   string
	}{
		"no engine":  {"a file of its history may be elsewhere", without(servicesRoute, corev1.ServiceList{}), "has no Service with the label app.kubernetes.io/name=causeway; name the file of its history with --history-file"},
		"no token":   {"the right to read one Secret is missing", without(tokenRoute, clitest.Refusal{Status: 403, Detail: "no"}), "cannot read the Secret causeway-history, which lets in to the history"},
		"its words":  {"what the engine says is told as it says it", without(proxyRoute, text(http.StatusNotFound, "there is no sync x\n")), "there is no sync x"},
		"not let":    {"the API server's answer is no answer of the engine", without(proxyRoute, text(http.StatusForbidden, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"you may not"}`)), "cannot ask the engine: "},
		"other text": {"a page of a proxy is no history", without(proxyRoute, text(http.StatusOK, "<html>")), "cannot understand the engine's answer"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			past, err := hubAt(t, c.routes).Historian(t.Context(), "")
			if err == nil {
				_, err = past.Trace(t.Context(), "x")
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %q", c.reason, err, c.want)
			}
		})
	}
}

// TestHistoryFileIsNotMade: a wrong name is told of, and no empty history is made there.
func TestHistoryFileIsNotMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history.db")
	if _, err := (&Hub{}).Historian(t.Context(), file); err == nil || !strings.Contains(err.Error(), "there is no history at "+file) {
		t.Error(err)
	}
	if left, _ := filepath.Glob(file + "*"); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}

// TestComparedSyncsOfAServer are told as those of a file: by what became of each object, and with what was masked as masked.
func TestComparedSyncsOfAServer(t *testing.T) {
	ref := func(name string) api.Ref {
		return api.Ref{Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: name}
	}
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(clitest.Shop()),
		"GET /api/v1/applications/argocd/shop/history/{id}/compare/{other}": []api.Difference{
			{Ref: ref("made"), Verb: "create"}, {Ref: ref("gone"), Verb: "prune"},
			{Ref: ref("other"), Verb: "update", Changes: []api.Change{{Path: "data.a", Old: "1", New: "2"}, {Path: "data.secret"}}},
		},
		"GET /api/v1/applications/argocd/shop/history": []history.Sync{{ID: "s1"}},
	})
	past, err := reached(t, d).HistorianOf(t.Context(), "ignored by servers", clitest.Shop())
	if err != nil {
		t.Fatal(err)
	}
	if list, err := past.List(t.Context(), "argocd", "shop", 3); err != nil || len(list) != 1 || list[0].ID != "s1" {
		t.Errorf("syncs: %v, %v", list, err)
	}
	got, err := past.Diff(t.Context(), "a/../b", "c")
	if err != nil {
		t.Fatal(err)
	}
	object := func(name string, change forecast.Change, fields ...forecast.Field) forecast.Object {
		return forecast.Object{Change: change, Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: name, Fields: fields}
	}
	want := []forecast.Object{
		object("made", forecast.Added), object("gone", forecast.Removed),
		object("other", forecast.Changed, forecast.Field{Path: "data.a", Old: "1", New: "2"}, forecast.Field{Path: "data.secret", Masked: true}),
	}
	if diff := cmp.Diff(want, got.Objects); diff != "" {
		t.Error(diff)
	}
}
