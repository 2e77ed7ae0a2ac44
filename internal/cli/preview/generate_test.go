package preview

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
)

func TestGeneratePrintsWhatSetsGive(t *testing.T) {
	dir := clitest.NewFleet(t)
	cases := map[string]struct {
		reason string
		args   []string
		code   int
		out    string
		errors string
	}{
		"Names":   {"all applications", []string{"-o", "name"}, 1, "application/db\napplication/web-dev\napplication/web-prod\n", "is not mirrored"},
		"Set":     {"those of a set", []string{"web", "-o", "name"}, 1, "application/web-dev\napplication/web-prod\n", ""},
		"YAML":    {"whole applications", []string{"web-dev"}, 1, "repoURL: " + clitest.FleetURL, ""},
		"Unknown": {"a name that is near", []string{"wep"}, 1, "", `did you mean "web"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := clitest.Look(t, NewGenerate, dir, tc.args...)
			if got.Code != tc.code || !strings.Contains(got.Out, tc.out) || !strings.Contains(got.Errors, tc.errors) {
				t.Errorf("%s: exit %d, out %s, errors %s", tc.reason, got.Code, got.Out, got.Errors)
			}
		})
	}
}
