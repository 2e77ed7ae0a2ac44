package why

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// teams is a repository in which two teams have an Application of one name, each with values of its own.
func teams(t *testing.T) (dir string) {
	t.Helper()
	dir = clitest.NewShop(t)
	app := "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: api, namespace: TEAM}\nspec:\n  project: default\n" +
		"  source: {repoURL: '" + clitest.FleetURL + "', path: chart, targetRevision: HEAD, helm: {values: 'level: of-TEAM'}}\n  destination: {name: prod, namespace: TEAM}\n"
	clitest.Write(t, dir, map[string]string{"teams/blue.yaml": strings.ReplaceAll(app, "TEAM", "blue"), "teams/green.yaml": strings.ReplaceAll(app, "TEAM", "green")})
	return dir
}

// TestNoneOfNamesakesIsGuessed: the values of one would be taken for those of the other.
func TestNoneOfNamesakesIsGuessed(t *testing.T) {
	dir := teams(t)
	const several = `the repository gives 2 Applications "api": blue/api, green/api; name one with its namespace, or choose what is looked at with --root FILE or --repo FOLDER`
	cases := map[string]struct {
		reason string
		args   []string
		code   int
		want   string
		not    string
	}{
		"values":    {"which are there is told", []string{"api", "--values"}, command.ExitFailed, several, "level"},
		"value":     {"of one value as well", []string{"api", "--value", "level"}, command.ExitFailed, several, "of-blue"},
		"field":     {"and of a field", []string{"api", "--value", "ConfigMap/settings:data.level"}, command.ExitFailed, several, "of-blue"},
		"namespace": {"its namespace tells it apart", []string{"green/api", "--values"}, command.ExitFine, "of-green", "of-blue"},
		"root":      {"so does its file", []string{"api", "--value", "level", "--root", "teams/green.yaml"}, command.ExitFine, "of-green", "of-blue"},
		"only one":  {"where there is one its name is enough", []string{"shop-prod", "--values"}, command.ExitFine, "1.2.3", "of-"},
		"no such":   {"a namespace that does not have it", []string{"red/api", "--values"}, command.ExitFailed, `the repository gives no Application "red/api"`, "level"},
		"misspelt":  {"the nearest is told", []string{"shop-prdo", "--value", "level"}, command.ExitFailed, `the repository gives no Application "shop-prdo"; did you mean "shop-prod"?`, "level"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := clitest.Look(t, New, dir, c.args...)
			got.Says(t, c.reason, c.code, c.want)
			if strings.Contains(got.Out, c.not) {
				t.Errorf("%s: it says\n%s", c.reason, got.Out)
			}
		})
	}
}

// TestNamesakesOfOneNamespace belong to different hubs: their files tell them apart.
func TestNamesakesOfOneNamespace(t *testing.T) {
	dir := teams(t)
	other, err := os.ReadFile(filepath.Join(dir, "teams", "blue.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, dir, map[string]string{"hubs/other.yaml": strings.ReplaceAll(string(other), "of-blue", "of-other")})
	clitest.Look(t, New, dir, "blue/api", "--values").Says(t, "the namespace is the same", command.ExitFailed, `the repository gives 2 Applications "blue/api": blue/api`, "hubs/other.yaml")
	clitest.Look(t, New, dir, "blue/api", "--values", "--root", "hubs/other.yaml").Says(t, "the file is not", command.ExitFine, "of-other")
}
