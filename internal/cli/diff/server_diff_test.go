package diff

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/differences"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

const shopRoute = "GET /api/v1/applications/argocd/shop/diff"

// scaled is a deployment that somebody scaled, made is a role that is new, and kept is what Git has no longer.
var (
	scaled = api.Difference{
		Ref: api.Ref{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: "web"}, Verb: "update", Origin: "web/deploy.yaml:3", Drifted: "was changed by kubectl",
		Live: "spec:\n  replicas: 5\n", Desired: "spec:\n  replicas: 1\n", Changes: []api.Change{{Path: "spec.replicas", Old: 5, New: 1}, {Path: "spec.paused", New: false}},
	}
	made = api.Difference{Ref: api.Ref{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", Name: "reader"}, Verb: "create", Desired: "kind: ClusterRole\n", Changes: []api.Change{{New: map[string]any{"kind": "ClusterRole"}}}}
	kept = api.Difference{Ref: api.Ref{Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "old"}, Verb: "keep", Kept: "Prune=false is set"}
)

func differing(t *testing.T, all ...api.Difference) *clitest.Desk {
	t.Helper()
	return clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(clitest.Shop()), shopRoute: append([]api.Difference{}, all...)})
}

// TestWhatADifferenceIsAnswered: a difference is an answer of its own, and what stays is none.
func TestWhatADifferenceIsAnswered(t *testing.T) {
	cases := map[string]struct {
		reason, output string
		found          []api.Difference
		code           int
		out, errors    string
	}{
		"nothing":           {"that there is none is said", "diff", nil, command.ExitFine, "", "no differences\n"},
		"nothing, table":    {"instead of a heading over nothing", "table", nil, command.ExitFine, "", "no differences\n"},
		"nothing, programs": {"an empty list is a list", "json", nil, command.ExitFine, "[]\n", ""},
		"nothing, yaml":     {"also as YAML", "yaml", nil, command.ExitFine, "[]\n", ""},
		"nothing, names":    {"nothing is what a script reads", "name", nil, command.ExitFine, "", ""},
		"kept":              {"no sync would change it", "diff", []api.Difference{kept}, command.ExitFine, "keep ConfigMap shop/old\nit is no longer in the sources and stays: Prune=false is set\n\n", ""},
		"kept and changed":  {"one that changes is enough", "name", []api.Difference{kept, made}, command.ExitChanges, "ConfigMap/old\nClusterRole.rbac.authorization.k8s.io/reader\n", ""},
		"drifted": {"with where it is written, and who changed it", "diff", []api.Difference{scaled}, command.ExitChanges,
			"update Deployment shop/web (web/deploy.yaml:3)\nit was changed by kubectl\n@@ -1,2 +1,2 @@\n spec:\n-  replicas: 5\n+  replicas: 1\n\n", ""},
		"new": {"all of it is added", "diff", []api.Difference{made}, command.ExitChanges, "create ClusterRole reader\n@@ -0,0 +1 @@\n+kind: ClusterRole\n\n", ""},
		"table": {"a line for each, with the fields, or why it stays", "wide", []api.Difference{scaled, made, kept}, command.ExitChanges,
			"ACTION  KIND         NAMESPACE  NAME    CHANGES\nupdate  Deployment   shop       web     spec.replicas, spec.paused\ncreate  ClusterRole  -          reader\nkeep    ConfigMap    shop       old     Prune=false is set\n", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := clitest.Run(t, New, "shop", "-o", c.output, "--server", differing(t, c.found...).URL)
			if d := cmp.Diff(clitest.Left{Code: c.code, Out: c.out, Errors: c.errors}, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, d)
			}
		})
	}
}

// TestProgramsReadDifferences: a field that is empty on one side is not one that is not there.
func TestProgramsReadDifferences(t *testing.T) {
	for _, output := range []string{table.AsJSON, table.AsYAML} {
		got := clitest.Run(t, New, "shop", "-o", output, "--server", differing(t, scaled, kept).URL)
		var read []differences.Difference
		if err := yaml.Unmarshal([]byte(got.Out), &read); err != nil {
			t.Fatal(err)
		}
		want := []differences.Difference{
			{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web", Action: "update", Source: "web/deploy.yaml:3", Drifted: "was changed by kubectl",
				Changes: []differences.Change{{Path: "spec.replicas", Old: 5.0, New: 1.0}, {Path: "spec.paused", New: false}}},
			{Kind: "ConfigMap", Namespace: "shop", Name: "old", Action: "keep", Kept: "Prune=false is set"},
		}
		if d := cmp.Diff(want, read); d != "" {
			t.Errorf("%s (-want +got):\n%s", output, d)
		}
	}
}

// TestSeveralApplicationsAreComparedOnce each, in the order that they are named; one that cannot be says which it is.
func TestSeveralApplicationsAreComparedOnce(t *testing.T) {
	asked := 0
	other := clitest.Settled(func(a *v1alpha1.Application) { a.Name = "blog" })
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(clitest.Shop(), other),
		shopRoute: func(w http.ResponseWriter, _ *http.Request) {
			asked++
			_, _ = w.Write([]byte(`[{"kind": "Service", "version": "v1", "name": "web", "verb": "prune"}]`))
		},
		"GET /api/v1/applications/argocd/blog/diff": clitest.Refusal{Status: http.StatusBadGateway, Detail: "the cluster does not answer"},
	})
	got := clitest.Run(t, New, "shop", "shop", "-o", "name", "--server", d.URL)
	if got.Says(t, "named twice", command.ExitChanges); got.Out != "Service/web\n" || asked != 1 {
		t.Errorf("asked %d times: %q", asked, got.Out)
	}
	got = clitest.Run(t, New, "shop", "blog", "--server", d.URL)
	got.Says(t, "one cannot be compared", command.ExitFailed, "cannot compare application blog: ", "the cluster does not answer")
	if got.Out != "" {
		t.Errorf("half of an answer looks like one: %s", got.Out)
	}
	clitest.Run(t, New, "shop", "blgo", "--server", d.URL).Says(t, "misspelt", command.ExitFailed, `did you mean "blog"?`)
}

func TestComparisonsThatCannotBeMeant(t *testing.T) {
	clitest.Refuses(t, New, map[string]string{
		"": "name the applications to compare", "shop -o tree": `cannot print as "tree": use one of diff, table, wide, json, yaml, name`, "_": `"" is no name of an application`, "a/b/c": "write NAME, or NAMESPACE/NAME",
		"shop --mirror https://git.example.com": "URL=PATH", "shop --mirror https://git.example.com=.": "--mirror is of this machine",
	})
}
