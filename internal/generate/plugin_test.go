package generate

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const pluginToken = "s3cret"

// pluginServer answers as a plugin does, with what it was asked.
func pluginServer(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+pluginToken {
			http.Error(w, `{"message": "wrong token `+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")+`"}`, http.StatusForbidden)
			return
		}
		body, err := io.ReadAll(r.Body)
		var asked struct {
			ApplicationSetName string
			Input              struct{ Parameters map[string]any }
		}
		if err != nil || r.Method != http.MethodPost || r.URL.Path != "/base/api/v1/getparams.execute" || json.Unmarshal(body, &asked) != nil {
			http.Error(w, "unexpected "+r.URL.Path, http.StatusNotFound)
			return
		}
		branch, _ := asked.Input.Parameters["branch"].(string)
		answer := map[string]any{"output": map[string]any{"parameters": []any{
			map[string]any{"app": branch + "-one", "v": "1", "nested": map[string]any{"n": 2.5}, "set": asked.ApplicationSetName, "generator": "overwritten"},
			map[string]any{"app": branch + "-two", "v": "2", "nested": map[string]any{"n": true}, "set": asked.ApplicationSetName},
		}}}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestPlugin(t *testing.T) {
	s := pluginServer(t)
	settings := fakeSettings{
		"plug":          {"baseUrl": s.URL + "/base/", "token": "$plugin.token", "requestTimeout": "60"},
		"argocd-secret": {"plugin.token": pluginToken + "\n"},
	}
	spec := fast("generators: [{plugin: {configMapRef: {name: plug}, input: {parameters: {branch: b, list: [x, why]}}, values: {z: 'z{{v}}'}}}]")
	shows := map[string]string{
		"fast": "{{v}} {{nested.n}} {{set}} {{values.z}} {{generator.input.parameters.branch}} {{generator.input.parameters.list.1}}",
		"go":   `{{v}} {{nested.n}} {{set}} {{values.z}} {{generator.input.parameters.branch}} {{ index .generator.input.parameters.list 1 }}`,
	}
	for mode, show := range shows {
		t.Run(mode, func(t *testing.T) {
			spec := inMode(replaced(spec, "annotations: {v: '{{v}}'}", "annotations: {v: '"+show+"'}"), mode)
			spec = strings.ReplaceAll(spec, "{{. index", "{{index")
			got, exp, err := expandNames(t, New(testFleet(), nil, anyProject{}, WithSettings(settings)), spec)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"b-one=1 2.5 set z1 b why", "b-two=2 true set z2 b why"}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if !exp.Reads.Plugins {
				t.Error("a webhook must be able to wake the set")
			}
		})
	}
}

func TestPluginInMatrix(t *testing.T) {
	s := pluginServer(t)
	settings := fakeSettings{"plug": {"baseUrl": s.URL + "/base", "token": "$plugin:key"}, "plugin": {"key": pluginToken}}
	spec := fast("generators: [{matrix: {generators: [{pullRequest: {github: {owner: o, repo: r}}}, {plugin: {configMapRef: {name: plug}, input: {parameters: {branch: '{{branch_slug}}'}}}}]}}]")
	for _, mode := range []string{"fast", "go"} {
		got, _, err := expandNames(t, New(testFleet(), nil, anyProject{}, WithSettings(settings), WithHosts(testHost())), inMode(spec, mode))
		want := []string{"feature-add-it-and-more-one=1", "feature-add-it-and-more-two=2", "fix-1-one=1", "fix-1-two=2"}
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s mode: the plugin is asked with the pull request's parameters (-want +got):\n%s\n%v", mode, d, err)
		}
	}
}

func TestPluginFaults(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the token went to another host") }))
	t.Cleanup(elsewhere.Close)
	faulty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/redirect"):
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		case strings.HasPrefix(r.URL.Path, "/loop"):
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		case strings.HasPrefix(r.URL.Path, "/down"):
			http.Error(w, "x", http.StatusBadGateway)
		case strings.HasPrefix(r.URL.Path, "/text"):
			_, _ = io.WriteString(w, "hello")
		case strings.HasPrefix(r.URL.Path, "/huge"):
			_, _ = io.WriteString(w, strings.Repeat("x", pluginAnswer+1))
		default:
			_, _ = io.WriteString(w, "{}")
		}
	}))
	t.Cleanup(faulty.Close)
	good := pluginServer(t)
	for name, c := range map[string]struct {
		reason string
		config map[string]string
		kind   gitops.ProblemKind
		want   string
	}{
		"no config map":   {"it is named", nil, gitops.NotFound, "ConfigMap plug does not exist"},
		"no address":      {"what to correct", map[string]string{"baseUrl": "plugin:80", "token": "$t"}, gitops.Invalid, "baseUrl is no http"},
		"plain token":     {"a token belongs into a Secret", map[string]string{"baseUrl": faulty.URL, "token": "abc"}, gitops.Invalid, "does not name a key"},
		"no such key":     {"which one is missing", map[string]string{"baseUrl": faulty.URL, "token": "$other:x"}, gitops.NotFound, "Secret other has no key x"},
		"timeout no text": {"seconds", map[string]string{"baseUrl": faulty.URL, "token": "$t", "requestTimeout": "soon"}, gitops.Invalid, "requestTimeout is no number"},
		"redirect":        {"another host must not get the token", map[string]string{"baseUrl": faulty.URL + "/redirect", "token": "$t"}, gitops.Forbidden, "redirects to another host"},
		"loop":            {"redirects end", map[string]string{"baseUrl": faulty.URL + "/loop", "token": "$t"}, gitops.Unreachable, "redirects too often"},
		"down":            {"tried again", map[string]string{"baseUrl": faulty.URL + "/down", "token": "$t"}, gitops.Unreachable, "502"},
		"no JSON":         {"told with the form that is wanted", map[string]string{"baseUrl": faulty.URL + "/text", "token": "$t"}, gitops.Invalid, "cannot read the answer"},
		"too much":        {"an answer is bounded", map[string]string{"baseUrl": faulty.URL + "/huge", "token": "$t"}, gitops.Invalid, "more than"},
		"no output":       {"an empty answer would delete everything", map[string]string{"baseUrl": faulty.URL, "token": "$t"}, gitops.Invalid, "output.parameters is missing"},
		"wrong token":     {"without the token itself", map[string]string{"baseUrl": good.URL + "/base", "token": "$t"}, gitops.Refused, "wrong token [redacted]"},
		"wrong path":      {"where it should be", map[string]string{"baseUrl": good.URL, "token": "$right"}, gitops.NotFound, "404"},
		"nobody there":    {"tried again", map[string]string{"baseUrl": "http://127.0.0.1:1", "token": "$t"}, gitops.Unreachable, "does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			settings := fakeSettings{"argocd-secret": {"t": "tokenvalue", "right": pluginToken}}
			if c.config != nil {
				settings["plug"] = c.config
			}
			_, err := New(testFleet(), nil, anyProject{}, WithSettings(settings)).Applications(context.Background(), specSet(t, fast("generators: [{plugin: {configMapRef: {name: plug}}}]")))
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != c.kind || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v", c.reason, err)
			}
			if err != nil && strings.Contains(err.Error(), "tokenvalue") {
				t.Errorf("the error tells the token: %v", err)
			}
		})
	}
}

func ducks(t *testing.T) fakeObjects {
	t.Helper()
	var out fakeObjects
	for _, text := range []string{
		"{metadata: {name: quak, labels: {duck: spotted}}, status: {decisions: [{clusterName: prod, zone: a}, {clusterName: gone}, {clusterName: in-cluster, n: 5}]}}",
		"{metadata: {name: second, labels: {duck: spotted}}, status: {decisions: [{clusterName: Dev_EU}]}}",
		"{metadata: {name: undecided}}",
		"{metadata: {name: wrong}, status: {decisions: text}}",
	} {
		var o map[string]any
		if err := yaml.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		out = append(out, unstructured.Unstructured{Object: o})
	}
	return out
}

func TestClusterDecisions(t *testing.T) {
	config := map[string]string{"apiVersion": "mallard.io/v1beta1", "kind": "ducks", "statusListKey": "decisions", "matchKey": "clusterName"}
	for name, c := range map[string]struct {
		reason, choose string
		config         map[string]string
		want           []string
		warnings       int
		wantErr        string
	}{
		"by name": {
			reason: "items that name no cluster are told", choose: "name: quak", config: config, warnings: 1,
			want: []string{"in-cluster-x=https://kubernetes.default.svc in-cluster", "prod-x=https://prod.example.com prod"},
		},
		"by labels": {
			reason: "the lists of all objects", choose: "labelSelector: {matchLabels: {duck: spotted}}", config: config, warnings: 1,
			want: []string{"dev-eu-x=https://dev.example.com Dev_EU", "in-cluster-x=https://kubernetes.default.svc in-cluster", "prod-x=https://prod.example.com prod"},
		},
		"undecided":     {reason: "nothing yet, and told", choose: "name: undecided", config: config, warnings: 1},
		"no list":       {reason: "the wrong shape is an error", choose: "name: wrong", config: config, wantErr: "is no list"},
		"no object":     {reason: "an empty result would delete Applications", choose: "name: none", config: config, wantErr: "no object of kind ducks"},
		"both":          {reason: "by name or by labels", choose: "name: quak, labelSelector: {matchLabels: {a: b}}", config: config, wantErr: "by name or by labelSelector"},
		"neither":       {reason: "one of the two", choose: "requeueAfterSeconds: 1", config: config, wantErr: "by name or by labelSelector"},
		"no match key":  {reason: "an empty result would delete Applications", choose: "name: quak", config: map[string]string{"apiVersion": "a/v1", "kind": "ducks"}, wantErr: "has no matchKey"},
		"no group":      {reason: "core kinds decide nothing", choose: "name: quak", config: map[string]string{"apiVersion": "v1", "kind": "ducks"}, wantErr: "group/version"},
		"no config map": {reason: "it is named", choose: "name: quak", wantErr: "ConfigMap duck"},
	} {
		for _, mode := range []string{"fast", "go"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				settings := fakeSettings{}
				if c.config != nil {
					settings["duck"] = c.config
				}
				spec := fast("generators: [{clusterDecisionResource: {configMapRef: duck, values: {app: x}, " + c.choose + "}}]")
				spec = inMode(replaced(spec, "{{app}}", "{{name}}-{{values.app}}", "{{v}}", "{{server}} {{clusterName}}"), mode)
				if mode == "go" {
					spec = strings.ReplaceAll(spec, "'{{.name}}-", "'{{.name | normalize}}-")
				}
				exp, err := New(testFleet(), nil, anyProject{}, WithSettings(settings), WithResources(ducks(t))).Applications(context.Background(), specSet(t, spec))
				if c.wantErr != "" {
					if err == nil || !strings.Contains(err.Error(), c.wantErr) {
						t.Errorf("%s: got %v", c.reason, err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, app := range exp.Applications {
					got = append(got, app.Name+"="+app.Annotations["v"])
				}
				for _, r := range exp.Rejected { // names that the fast mode cannot normalise
					got = append([]string{normalize(r.Name) + "=" + r.Application.Annotations["v"]}, got...)
				}
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("%s (-want +got):\n%s", c.reason, d)
				}
				if len(exp.Warnings) != c.warnings {
					t.Errorf("%s: warnings %v", c.reason, exp.Warnings)
				}
			})
		}
	}
}
