package preview

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// applied writes a file of an application whose sources are in a folder, and tells how it is rendered.
func applied(t *testing.T, text string, sources map[string]string) func(args ...string) clitest.Left {
	t.Helper()
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "apps.yaml")
	clitest.Write(t, dir, sources)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(args ...string) clitest.Left {
		return clitest.Run(t, NewRender, append([]string{"--file", file, "--mirror", clitest.FleetURL + "=" + dir}, args...)...)
	}
}

func configMap(name string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\n"
}

// TestFilesOfApplications: a file may come from another machine, another editor or another command.
func TestFilesOfApplications(t *testing.T) {
	app := application("web", "repoURL: '"+clitest.FleetURL+"', path: web")
	list := clitest.Look(t, NewGenerate, clitest.NewFleet(t), "web-dev", "--root", "web", "-o", "json").Out
	cases := map[string]struct {
		reason, text string
		code         int
		want         string
	}{
		"one":       {"as people write it", app, command.ExitFine, "ConfigMap/web\n"},
		"several":   {"each in its turn", app + strings.ReplaceAll(app, "name: web", "name: shop"), command.ExitFine, "ConfigMap/web\nConfigMap/web\n"},
		"mark":      {"some editors write one first", "\ufeff" + app, command.ExitFine, "ConfigMap/web\n"},
		"carriages": {"and end lines in another way", strings.ReplaceAll(app, "\n", "\r\n"), command.ExitFine, "ConfigMap/web\n"},
		"list":      {"as generate -o json prints them", list, command.ExitFine, "ConfigMap/web\n"},
		"yaml list": {"as kubectl get prints them", "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSuffix(app, "---\n"), "\n", "\n  ") + "\n- {apiVersion: v1, kind: Pod}\n", command.ExitFine, "ConfigMap/web\n"},
		"no item":   {"nothing is to be rendered", "apiVersion: v1\nkind: List\nitems: []\n", command.ExitFailed, "there is no Application in it"},
		"other":     {"of another group", strings.Replace(app, "argoproj.io/", "example.com/", 1), command.ExitFailed, "there is no Application in it"},
		"wrong":     {"the field is named", strings.Replace(app, "project: default", "project: [a]", 1), command.ExitFailed, "spec.project"},
		"wrong, in": {"also in a list", `{"kind": "List", "items": [{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": 7}]}`, command.ExitFailed, "spec"},
		"no folder": {"the application is named", strings.Replace(app, "path: web", "path: wbe", 1), command.ExitFailed, "cannot render application web: cannot find path wbe"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := applied(t, c.text, map[string]string{"web/cm.yaml": configMap("web")})("-o", "name")
			got.Says(t, c.reason, c.code, c.want)
		})
	}
}

// TestRenderedManifestsArePrinted in their order, for whoever reads them: nothing is a list, too.
func TestRenderedManifestsArePrinted(t *testing.T) {
	render := applied(t, application("web", "repoURL: '"+clitest.FleetURL+"', path: web"), map[string]string{
		"web/a.yaml": configMap("b") + "---\n" + configMap("a"), "web/role.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: reader}\nrules: []\n",
	})
	if got := render("-o", "name"); got.Out != "ConfigMap/b\nConfigMap/a\nClusterRole.rbac.authorization.k8s.io/reader\n" {
		t.Errorf("names: %s%s", got.Out, got.Errors)
	}
	if got := render(); strings.Count(got.Out, "---\n") != 3 || !strings.HasPrefix(got.Out, "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n") {
		t.Errorf("a stream: %s%s", got.Out, got.Errors)
	}
	if got := render("-o", "wide"); !strings.Contains(got.Out, "ConfigMap    -          a       web/a.yaml:") || !strings.Contains(got.Out, "ClusterRole  -          reader  web/role.yaml:1\n") {
		t.Errorf("a table: %s%s", got.Out, got.Errors)
	}
	none := applied(t, application("web", "repoURL: '"+clitest.FleetURL+"', path: web"), map[string]string{"web/notes.yaml": "# nothing yet\n"})
	var list struct{ Items []any }
	if got := none("-o", "json"); json.Unmarshal([]byte(got.Out), &list) != nil || list.Items == nil || got.Code != command.ExitFine {
		t.Errorf("nothing is a list: %s%s", got.Out, got.Errors)
	}
}

// TestChartsSeeTheVersionThatIsSaid, however it is written; what no version is would make of every condition of a chart anything.
func TestChartsSeeTheVersionThatIsSaid(t *testing.T) {
	render := applied(t, application("web", "repoURL: '"+clitest.FleetURL+"', path: web"), map[string]string{
		"web/Chart.yaml":        "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"web/templates/cm.yaml": configMap("web") + "data: {minor: '{{ .Capabilities.KubeVersion.Minor }}', monitors: '{{ .Capabilities.APIVersions.Has \"monitoring.coreos.com/v1\" }}'}\n",
	})
	for said, want := range map[string]string{"1.29.3": "29", "v1.29.3": "29", "1.29": "29", "v1.31.4-eks-1": "31"} {
		if got := render("--kube-version", said); !strings.Contains(got.Out, fmt.Sprintf("minor: %q", want)) {
			t.Errorf("%s: %s%s", said, got.Out, got.Errors)
		}
	}
	if got := render("--api-versions", "apps/v1,monitoring.coreos.com/v1"); !strings.Contains(got.Out, `monitors: "true"`) {
		t.Errorf("what the cluster serves beyond: %s%s", got.Out, got.Errors)
	}
	if got := render(); !strings.Contains(got.Out, `monitors: "false"`) {
		t.Errorf("nothing is said of it: %s%s", got.Out, got.Errors)
	}
}
