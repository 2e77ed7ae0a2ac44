package get

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
)

// TestKindsAreCompletedAndThenTheirNames, as arguments take them.
func TestKindsAreCompletedAndThenTheirNames(t *testing.T) {
	d := fleet(t)
	gone := clitest.NewDesk(t, map[string]any{clustersRoute: clitest.Refusal{Status: http.StatusBadGateway, Detail: "down"}})
	cases := map[string]struct {
		reason, args, at, want string
		directive              cobra.ShellCompDirective
	}{
		"kinds":     {"the word that reads best of each", "", d.URL, "apps appsets clusters repos projects", cobra.ShellCompDirectiveNoFileComp},
		"apps":      {"those of the control namespace", "apps", d.URL, "blog shop", cobra.ShellCompDirectiveNoFileComp},
		"singular":  {"any name of a kind will do", "CLUSTER", d.URL, "broken dev prod second", cobra.ShellCompDirectiveNoFileComp},
		"more":      {"after a name comes another", "projects web", d.URL, "web", cobra.ShellCompDirectiveNoFileComp},
		"none":      {"there are none", "appsets", d.URL, "", cobra.ShellCompDirectiveNoFileComp},
		"no kind":   {"nothing can follow what is no kind", "aps", d.URL, "", cobra.ShellCompDirectiveError},
		"no answer": {"nothing is guessed", "clusters", gone.URL, "", cobra.ShellCompDirectiveError},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			g := clitest.Global(t, &out)
			g.Server.Address = c.at
			cmd := New(g)
			found, directive := cmd.ValidArgsFunction(cmd, strings.Fields(c.args), "")
			got := strings.Fields(strings.Join(found, " "))
			if c.args != "" {
				slices.Sort(got)
			}
			if strings.Join(got, " ") != c.want || directive != c.directive || out.Len() > 0 {
				t.Errorf("%s: %v and %d, and it prints %q", c.reason, found, directive, out.String())
			}
		})
	}
}
