package hub

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// What argocd-cmd-params-cm says is nothing where it is not there or may not be read; an
// engine that cannot reach its hub does not start.
func TestParamsOfAnInstallation(t *testing.T) {
	there := map[string]string{NamespacesKey: "team, shop", v1alpha1.ParamDoublestarFiles: "true"}
	for name, tc := range map[string]struct {
		reason string
		code   int
		want   Params
		says   string
		logs   string
	}{
		"There":       {"its keys", http.StatusOK, there, "", ""},
		"None":        {"it need not be there", http.StatusNotFound, nil, "", ""},
		"Forbidden":   {"people are told what follows", http.StatusForbidden, nil, "", ParamsMap},
		"Unreachable": {"what it says is not known", http.StatusBadGateway, nil, "cannot reach the hub", ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/api/v1/namespaces/argocd/configmaps/"+ParamsMap {
					t.Errorf("asked for %s", r.URL.Path)
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tc.code)
				if tc.code != http.StatusOK {
					return
				}
				cm := corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, Data: there}
				if err := json.NewEncoder(w).Encode(cm); err != nil {
					t.Error(err)
				}
			}))
			defer server.Close()
			var logs bytes.Buffer
			got, err := ReadParams(t.Context(), &rest.Config{Host: server.URL}, "argocd", slog.New(slog.NewTextHandler(&logs, nil)))
			if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
			if (logs.Len() > 0) != (tc.logs != "") || !strings.Contains(logs.String(), tc.logs) {
				t.Errorf("%s: logged %q", tc.reason, logs.String())
			}
		})
	}
}

// A flag counts before the ConfigMap, for namespaces alone.
func TestNamespacesOfParams(t *testing.T) {
	p := Params{NamespacesKey: "team, shop"}
	for name, tc := range map[string]struct {
		reason string
		named  []string
		want   []string
	}{
		"ConfigMap": {"no flag is set", nil, []string{"team", "shop"}},
		"Flag":      {"a flag is set", []string{"blue"}, []string{"blue"}},
		"None":      {"to nothing", []string{}, []string{}},
	} {
		got, err := p.Namespaces("argocd", tc.named)
		if diff := cmp.Diff(Namespaces{"argocd", tc.want}, got); diff != "" || err != nil {
			t.Errorf("%s: %s: %v, -want +got:\n%s", name, tc.reason, err, diff)
		}
	}
	if _, err := (Params{NamespacesKey: "[a"}).Namespaces("argocd", nil); err == nil || !strings.Contains(err.Error(), ParamsMap) {
		t.Errorf("a pattern that cannot be read is taken: %v", err)
	}
}

// Argo CD takes the word true, in whatever case, and nothing else that Go would take.
func TestDoublestarFilesOfParams(t *testing.T) {
	for value, want := range map[string]bool{"": false, "true": true, "True": true, "TRUE": true, "false": false, "1": false, "yes": false} {
		if got := (Params{v1alpha1.ParamDoublestarFiles: value}).DoublestarFiles(); got != want {
			t.Errorf("%q means %t", value, got)
		}
	}
	if (Params)(nil).DoublestarFiles() {
		t.Error("where nothing is said, files are matched by path globs")
	}
}
