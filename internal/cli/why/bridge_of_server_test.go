package why

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// bridgeDesk is a server with a cluster of its own name, and two that share one.
func bridgeDesk(t *testing.T) *clitest.Desk {
	t.Helper()
	of := func(secret string) api.BridgeCluster {
		return api.BridgeCluster{
			Name: "twin", Secret: secret, Keys: []api.BridgeKey{{In: "label", Name: "region", Value: "eu-" + secret, Type: "string", SetBy: "kubectl", Problem: "must be one of us"}},
			Missing: []api.BridgeKey{{In: "annotation", Name: "tire", Nearest: "tier", Readers: []api.BridgeReader{{Set: "webs"}}}},
		}
	}
	prod := api.BridgeCluster{Name: "prod", Secret: "s-prod", Server: "https://prod:6443", Keys: []api.BridgeKey{
		{In: "label", Name: "tier", Value: "web", Type: "string", Readers: []api.BridgeReader{{Set: "webs", Where: "spec.template"}}}, {In: "annotation", Name: "tier", Value: "data", Type: "string"},
	}}
	return clitest.NewDesk(t, map[string]any{
		"GET /api/v1/bridge": map[string]any{"failures": []string{"others: it cannot\nbe expanded"}, "clusters": []api.BridgeSummary{
			{Name: "prod", Secret: "s-prod", Server: "https://prod:6443", Keys: 2, Unread: 1, Missing: []string{}, Wrong: []string{}}, {Name: "twin", Secret: "first", Keys: 1, Missing: []string{"tire"}, Wrong: []string{"region"}}, {Name: "twin", Secret: "twin", Keys: 1},
		}},
		"GET /api/v1/bridge/prod": prod, "GET /api/v1/bridge/twin": of("twin"), "GET /api/v1/bridge/first": of("first"),
		"GET /api/v1/bridge/prod/facts": clitest.Refusal{Status: http.StatusNotFound, Detail: "no such route"}, "GET /api/v1/bridge/first/facts": api.BridgeFacts{Facts: []api.BridgeFact{{Name: "nodeCount", Value: "3", Type: "integer", Source: "cluster"}}, Untold: "zones are not known"},
		"GET /api/v1/bridge/twin/facts": api.BridgeFacts{}, "POST /api/v1/bridge/preview": api.BridgePreview{Applications: []api.BridgeApplication{{Name: "web", Set: "webs", Effect: "changed", Fields: []api.Change{{Path: "spec.password", Old: "hunter2", New: "hunter3"}}}}},
	})
}

// TestBridgeByAServer: clusters are found by name or Secret, and what the server does not know is told beside what it does.
func TestBridgeByAServer(t *testing.T) {
	d := bridgeDesk(t)
	cases := map[string]struct {
		reason string
		args   []string
		code   int
		want   []string
	}{
		"all":       {"each with what is wrong, and sets that are not known beside them", nil, command.ExitFine, []string{"prod     2     1       -        -", "twin     1     0       tire     region", "warning: others: it cannot be expanded\n"}},
		"old":       {"a server of before knows nothing of facts", []string{"prod"}, command.ExitFine, []string{"label       tier", "webs", "the cluster does not tell all its facts: ", "no such route"}},
		"by Secret": {"it tells namesakes apart, at the server, too", []string{"first"}, command.ExitFine, []string{"eu-first", "Failed: must be one of us", "nodeCount", "zones are not known", `annotation tire is missing: did you mean "tier"?`, `warning: 2 cluster Secrets have the name "twin": first, twin; this is first`}},
		"heir":      {"of namesakes the one whose Secret is called so", []string{"twin"}, command.ExitFine, []string{"eu-twin", "this is twin"}},
		"misspelt":  {"the nearest is told", []string{"prdo"}, command.ExitFailed, []string{`did you mean "prod"?`}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			clitest.Run(t, NewBridge, append(c.args, "--server", d.URL)...).Says(t, c.reason, c.code, c.want...)
		})
	}
	var all []bridge.ClusterReport
	got := clitest.Run(t, NewBridge, "-o", "json", "--server", d.URL)
	if err := json.Unmarshal([]byte(got.Out), &all); err != nil || len(all) != 3 || all[1].Keys[0].Value != "eu-first" || all[2].Keys[0].Value != "eu-twin" {
		t.Errorf("programs read the keys of each cluster: %v\n%s", err, got.Out)
	}
}

// TestKeysByAServer: a key that is a label and an annotation is asked for as both, and what is secret is not shown.
func TestKeysByAServer(t *testing.T) {
	d := bridgeDesk(t)
	got := clitest.Run(t, New, "prod/tier", "--server", d.URL)
	got.Says(t, "both, each with another value", command.ExitFine, `label tier of cluster prod is "web" (string)`, `annotation tier of cluster prod is "data" (string)`, "read by ApplicationSet webs (spec.template)", "spec.password = [masked]")
	if strings.Contains(got.Out, "hunter2") {
		t.Errorf("it shows a password:\n%s", got.Out)
	}
	want := []string{
		`POST /api/v1/bridge/preview {"cluster":"prod","edits":[{"in":"label","name":"tier","value":"web-cwmark"}]}`, `POST /api/v1/bridge/preview {"cluster":"prod","edits":[{"in":"annotation","name":"tier","value":"data-cwmark"}]}`,
	}
	if diff := cmp.Diff(want, d.Asked()); diff != "" {
		t.Error(diff)
	}
	clitest.Run(t, New, "https://prod:6443/annotations.tier", "--server", d.URL).Says(t, "a cluster by its server", command.ExitFine, `annotation tier of cluster prod is "data"`)
	clitest.Run(t, New, "prod/teir", "--server", d.URL).Says(t, "misspelt", command.ExitFailed, `did you mean "tier"?`)
	clitest.Run(t, New, "prod/labels.region", "--server", d.URL).Says(t, "a key that the cluster does not have", command.ExitUsage, "cluster prod has no label region")
	clitest.Run(t, New, "prod/tier", "--mirror", "https://a.example.com=.", "--server", d.URL).Says(t, "the server fetches by itself", command.ExitUsage, "--mirror is of this machine")
}

// TestValuesByAServer are those of charts, with the layers of each and the keys that they follow.
func TestValuesByAServer(t *testing.T) {
	const of = "GET /api/v1/applications/argocd/shop"
	layers := []api.ParameterLayer{{Kind: "chart", Name: "shop", Where: "chart/values.yaml:3", Value: "none"}, {Kind: "parameter", Name: "image.tag", Value: "1.2.3"}}
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(clitest.Shop()),
		of + "/parameters": api.Parameters{Sources: []api.ParameterSource{
			{Index: 0, Type: "Kustomize", Values: []api.Parameter{{Path: []string{"namePrefix"}, Layers: layers[:1]}}}, {Index: 1, Type: "Helm", Values: []api.Parameter{{Path: []string{"image", "tag"}, Layers: layers}, {Path: []string{"replicas"}, Layers: layers[:1]}}},
		}},
		of + "/parameters/keys": api.ParameterKeys{Set: "shops", Cluster: "prod", Tried: 2, Keys: []api.ParameterKey{
			{In: "annotation", Name: "tag", Value: "1.2.3", Values: []string{"1:image.tag"}, Through: []string{"spec.x"}}, {In: "label", Name: "size", Value: "3", Values: []string{"1:replicas"}},
		}},
		of + "/field": func(w http.ResponseWriter, r *http.Request) {
			q := r.URL.Query()
			_ = json.NewEncoder(w).Encode(api.FieldOrigin{Object: q.Get("object"), Path: q.Get("path"), Value: 3, Where: "web.yaml:1", Keys: &api.ParameterKeys{Hidden: true}})
		},
	})
	cases := map[string]struct {
		reason string
		args   []string
		code   int
		want   []string
		not    string
	}{
		"all":      {"what counts first, and what it covers below", []string{"--values"}, command.ExitFine, []string{"image.tag  1.2.3   parameter image.tag  -\n", "           (none)  chart shop           chart/values.yaml:3\n"}, "namePrefix"},
		"one":      {"the keys that this value follows", []string{"--value", "image.tag"}, command.ExitFine, []string{"made by ApplicationSet shops for cluster prod", `follows annotation tag = "1.2.3"`, "    through spec.x\n"}, "size"},
		"above":    {"all below a path", []string{"--value", "image"}, command.ExitFine, []string{"image.tag"}, "replicas"},
		"misspelt": {"the nearest is told", []string{"--value", "image.tga"}, command.ExitFailed, []string{`have no value image.tga; did you mean "image.tag"?`}, ""},
		"field":    {"as the server tells it, or may not", []string{"--value", "Deployment/web:.spec.replicas"}, command.ExitFine, []string{"Deployment/web: spec.replicas is 3 (web.yaml:1)", "  note: you may not read"}, "made by no"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := clitest.Run(t, New, append([]string{"shop", "--server", d.URL}, c.args...)...)
			got.Says(t, c.reason, c.code, c.want...)
			if c.not != "" && strings.Contains(got.Out, c.not) {
				t.Errorf("%s: it says\n%s", c.reason, got.Out)
			}
		})
	}
}
