package target

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// TestCompletedNamesCanBeGivenAsTheyAre: those of other namespaces have them before their names.
func TestCompletedNamesCanBeGivenAsTheyAre(t *testing.T) {
	other := clitest.Shop()
	other.Namespace = "team"
	cases := map[string]struct {
		reason string
		answer any
		g      command.Global
		want   string
		then   cobra.ShellCompDirective
	}{
		"names":   {"those of the control namespace", clitest.Applications(clitest.Shop(), other), command.Global{}, "shop", cobra.ShellCompDirectiveNoFileComp},
		"refused": {"a shell is told of an error, and completes no names of files", clitest.Refusal{Status: 403, Detail: "no"}, command.Global{}, "", cobra.ShellCompDirectiveError},
		"no hub":  {"what cannot be reached is one, too", nil, command.Global{Kubeconfig: "nowhere"}, "", cobra.ShellCompDirectiveError},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d := clitest.NewDesk(t, map[string]any{clitest.AppsRoute: c.answer})
			if c.g.Kubeconfig == "" {
				c.g.Server.Address = d.URL
			}
			got, then := CompleteApps(&c.g)(&cobra.Command{}, nil, "")
			if strings.Join(got, " ") != c.want || then != c.then {
				t.Errorf("%s: %v, %v", c.reason, got, then)
			}
		})
	}
}
