package why

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestWhyAServerShowsNoValue is told beside the answer: all that is masked looks as if all were secret.
func TestWhyAServerShowsNoValue(t *testing.T) {
	const of = "GET /api/v1/applications/argocd/shop"
	found := api.Parameters{
		Masked:  "the application\ncannot be rendered",
		Sources: []api.ParameterSource{{Type: "Helm", Values: []api.Parameter{{Path: []string{"level"}, Layers: []api.ParameterLayer{{Kind: "chart", Name: "shop", Value: "[masked]"}}}}}},
	}
	const warning = "warning: no value is shown: the application cannot be rendered\n"
	routes := map[string]any{clitest.AppsRoute: clitest.Applications(clitest.Shop()), of + "/parameters": found, of + "/parameters/keys": api.ParameterKeys{}}
	d := clitest.NewDesk(t, routes)
	for _, args := range []string{"--values", "--value level", "--values -o json"} {
		got := clitest.Run(t, New, append(strings.Fields(args), "shop", "--server", d.URL)...)
		got.Says(t, args, command.ExitFine, "[masked]", warning)
		if strings.Contains(got.Out, "warning") {
			t.Errorf("%s: programs would read it as a part of the answer:\n%s", args, got.Out)
		}
	}
	found.Masked = ""
	routes[of+"/parameters"] = found
	if got := clitest.Run(t, New, "shop", "--values", "--server", clitest.NewDesk(t, routes).URL); strings.Contains(got.Errors, "warning") {
		t.Errorf("nothing is hidden:\n%s", got.Errors)
	}
}
