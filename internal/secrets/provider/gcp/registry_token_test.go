package gcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/providertest"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

func TestRegistryToken(t *testing.T) {
	s := newServer(t)
	around := store.NewShelf(providertest.Cluster(s.objects(), true), nil).Around("ns")
	for name, tc := range map[string]struct{ reason, config, err string }{
		"key":     {"the key of a service account", ofKey, ""},
		"cluster": {"a service account of GKE, which acts for one of Google", fmt.Sprintf(ofGKE, "bound"), ""},
		"refused": {"one that may not", fmt.Sprintf(ofGKE, "refused"), "cannot sign in with a token of the ServiceAccount refused: invalid_grant"},
		"engine":  {"a generator is never the engine", `{"projectID":"shop"}`, "spec: set auth.secretRef"},
		"project": {"a project is needed", `{` + byKey + `}`, "spec: projectID is empty"},
		"form":    {"a spec of another form", `{"projectID":["planted"]}`, "spec: json"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := s.factory().RegistryToken(t.Context(), json.RawMessage(tc.config), around)
			if (err != nil) != (tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "planted") || strings.Contains(err.Error(), "jwt of")) {
				t.Fatalf("%s: got the error %v, want %q", tc.reason, err, tc.err)
			}
			if err != nil {
				return
			}
			if string(got["username"]) != registryUser || !s.tokens[string(got["password"])] || len(got) != 3 {
				t.Errorf("%s: got %q", tc.reason, got)
			}
			if ends, err := strconv.ParseInt(string(got["expiry"]), 10, 64); err != nil || time.Until(time.Unix(ends, 0)) < 50*time.Minute {
				t.Errorf("%s: it ends at %s", tc.reason, got["expiry"])
			}
		})
	}
	closed := providertest.Cluster(s.objects(), true)
	closed.Dial = egress.DialRemote
	if _, err := s.factory().RegistryToken(t.Context(), json.RawMessage(ofKey), store.NewShelf(closed, nil).Around("ns")); err == nil || !strings.Contains(err.Error(), "is a local address") {
		t.Errorf("where nobody may ask: %v", err)
	}
	s.answers(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"access_token":"hunter22`))
		return true
	})
	if got, err := s.factory().RegistryToken(t.Context(), json.RawMessage(ofKey), around); err == nil || strings.Contains(err.Error(), "hunter22") {
		t.Errorf("half a token: %q %v", got, err)
	}
}
