package azure

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/providertest"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// exchanges has a server be a registry, and notes what it is told.
func (s *server) exchanges(told *[]url.Values) {
	s.answers(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, "/oauth2/") {
			return false
		}
		_ = r.ParseForm()
		form := r.PostForm
		form.Set("at", r.URL.Path)
		*told = append(*told, form)
		switch {
		case r.URL.Path == "/oauth2/exchange" && s.tokens[form.Get("access_token")]:
			say(w, object{"refresh_token": "made-refresh-token"})
		case r.URL.Path == "/oauth2/token" && form.Get("refresh_token") == "made-refresh-token" && form.Get("scope") == "repository:shop:pull":
			say(w, object{"access_token": "made-registry-token"})
		default:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprintf(w, `{"errors":[{"code":"UNAUTHORIZED","message":"authentication required, with %s"}]}`, form.Get("refresh_token"))
		}
		return true
	})
}

func TestRegistryToken(t *testing.T) {
	s := newServer(t)
	var told []url.Values
	s.exchanges(&told)
	around := store.NewShelf(providertest.Cluster(s.objects(), true), nil).Around("ns")
	host := strings.TrimPrefix(s.URL, "https://")
	const (
		principal = `"auth":{"servicePrincipal":{"secretRef":{"clientId":{"name":"creds","key":"id"},"clientSecret":{"name":"creds","key":"secret"}}}}`
		workload  = `"auth":{"workloadIdentity":{"serviceAccountRef":{"name":"bound"}}}`
	)
	first := func(n int) url.Values {
		return url.Values{"at": {"/oauth2/exchange"}, "grant_type": {"access_token"}, "service": {host}, "tenant": {tenant}, "access_token": {fmt.Sprint("made-access-token-", n)}}
	}
	second := url.Values{"at": {"/oauth2/token"}, "grant_type": {"refresh_token"}, "service": {host}, "scope": {"repository:shop:pull"}, "refresh_token": {"made-refresh-token"}}
	for name, tc := range map[string]struct {
		reason, spec, password, err string
		told                        []url.Values
		refused                     bool
	}{
		"refresh":  {"a refresh token, for all that one may do", `"tenantId":"` + tenant + `",` + principal, "made-refresh-token", "", []url.Values{first(1)}, false},
		"scope":    {"an access token, for one repository", `"scope":"repository:shop:pull",` + workload, "made-registry-token", "", []url.Values{first(1), second}, false},
		"denied":   {"a scope that is not theirs", `"scope":"repository:other:pull",` + workload, "", "UNAUTHORIZED: authentication required, with [masked]", nil, true},
		"refused":  {"who is not known", `"auth":{"workloadIdentity":{"serviceAccountRef":{"name":"refused"}}}`, "", "cannot sign in as the application refused", nil, true},
		"engine":   {"a generator is never the engine", `"auth":{"managedIdentity":{}}`, "", "spec.auth: authType ManagedIdentity", nil, false},
		"account":  {"nor by its own service account", `"auth":{"workloadIdentity":{}}`, "", "set serviceAccountRef: the engine's own identity", nil, false},
		"nobody":   {"somebody has to ask", `"scope":"x"`, "", "spec: set auth.servicePrincipal", nil, false},
		"tenant":   {"of some tenant", principal, "", "tenantId is empty", nil, false},
		"odd":      {"a registry is a server", `"registry":"shop.azurecr.io/x",` + workload, "", "is no name of a registry", nil, false},
		"cloud":    {"a cloud that there is not", `"environmentType":"GermanCloud",` + workload, "", "spec: environmentType", nil, false},
		"bad form": {"a spec of another form", `"scope":["planted"]`, "", "spec: json", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			told = nil
			s.mu.Lock()
			s.made = 0
			s.mu.Unlock()
			got, err := s.factory().RegistryToken(t.Context(), json.RawMessage(fmt.Sprintf(`{"registry":%q,%s}`, host, tc.spec)), around)
			if (err != nil) != (tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "planted") || strings.Contains(err.Error(), "made-")) {
				t.Fatalf("%s: got the error %v, want %q", tc.reason, err, tc.err)
			}
			if no := (*provider.Refused)(nil); errors.As(err, &no) != tc.refused {
				t.Errorf("%s: %v", tc.reason, err)
			}
			if err != nil {
				return
			}
			if diff := cmp.Diff(map[string][]byte{"username": []byte(registryUser), "password": []byte(tc.password)}, got); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.told, told); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
		})
	}
	spec := json.RawMessage(fmt.Sprintf(`{"registry":%q,%s}`, host, workload))
	closed := providertest.Cluster(s.objects(), true)
	closed.Dial = egress.DialRemote
	if _, err := s.factory().RegistryToken(t.Context(), spec, store.NewShelf(closed, nil).Around("ns")); err == nil || !strings.Contains(err.Error(), "is a local address") {
		t.Errorf("where nobody may ask: %v", err)
	}
	strict := s.factory()
	strict.AnyServer = false
	if _, err := strict.RegistryToken(t.Context(), spec, around); err == nil || !strings.Contains(err.Error(), "ends with .azurecr.io") {
		t.Errorf("who is no registry: %v", err)
	}
	for reason, answer := range map[string]func(w http.ResponseWriter){
		"half a token": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"refresh_token":"hunter22`))
		},
		"no token": func(w http.ResponseWriter) { say(w, object{"access_token": "hunter22"}) },
		"a page": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadGateway + 10)
			_, _ = w.Write([]byte("<html>hunter22"))
		},
	} {
		s.answers(func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasPrefix(r.URL.Path, "/oauth2/") {
				answer(w)
			}
			return true
		})
		if got, err := s.factory().RegistryToken(t.Context(), spec, around); err == nil || strings.Contains(err.Error(), "hunter22") || !strings.Contains(err.Error(), "of the registry "+host) {
			t.Errorf("%s: %q %v", reason, got, err)
		}
	}
}
