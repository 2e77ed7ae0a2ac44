package why

import (
	"net/http"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestWhatAServerRefuses is told in its words, and nothing is answered in its place.
func TestWhatAServerRefuses(t *testing.T) {
	const of, refused = "GET /api/v1/applications/argocd/shop", "ann may not\nread this"
	refusal := clitest.Refusal{Status: http.StatusForbidden, Detail: refused}
	values := api.Parameters{Sources: []api.ParameterSource{{Type: "Helm", Values: []api.Parameter{{Path: []string{"level"}, Layers: []api.ParameterLayer{{Value: "info"}}}}}}}
	cases := map[string]struct {
		reason, route string
		args          []string
	}{
		"bridge":   {"which clusters there are", "GET /api/v1/bridge", []string{"prod/tier"}},
		"cluster":  {"the keys of a cluster", "GET /api/v1/bridge/prod", []string{"prod/tier"}},
		"preview":  {"what follows", "POST /api/v1/bridge/preview", []string{"prod/tier"}},
		"values":   {"the values", of + "/parameters", []string{"shop", "--values"}},
		"value":    {"one of them", of + "/parameters", []string{"shop", "--value", "level"}},
		"keys":     {"the keys that it follows", of + "/parameters/keys", []string{"shop", "--value", "level"}},
		"field":    {"a field", of + "/field", []string{"shop", "--value", "Deployment/web:spec.replicas"}},
		"app":      {"the application of a value", clitest.AppsRoute, []string{"shop", "--value", "level"}},
		"object":   {"that of an object", clitest.AppsRoute, []string{"shop/Deployment/web"}},
		"whole":    {"the application itself", clitest.AppsRoute, []string{"shop"}},
		"all keys": {"no list lacks a cluster without a word", "GET /api/v1/bridge/prod", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			routes := map[string]any{
				clitest.AppsRoute: clitest.Applications(clitest.Shop()), of + "/parameters": values, of + "/parameters/keys": api.ParameterKeys{},
				"GET /api/v1/bridge":      map[string]any{"clusters": []api.BridgeSummary{{Name: "prod", Secret: "s-prod"}}},
				"GET /api/v1/bridge/prod": api.BridgeCluster{Name: "prod", Secret: "s-prod", Keys: []api.BridgeKey{{In: "label", Name: "tier", Value: "web"}}},
			}
			routes[c.route] = refusal
			made, args := New, c.args
			if args == nil {
				made, args = NewBridge, []string{"-o", "json"}
			}
			got := clitest.Run(t, made, append(args, "--server", clitest.NewDesk(t, routes).URL)...)
			got.Says(t, c.reason, command.ExitFailed, "ann may not")
			if strings.TrimSpace(got.Out) != "" {
				t.Errorf("%s: it says all the same\n%s", c.reason, got.Out)
			}
		})
	}
}
