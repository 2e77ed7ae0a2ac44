package operate

import (
	"bytes"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
)

func TestPrintActions(t *testing.T) {
	all := []available{
		{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web", Action: "resume", Disabled: true},
		{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web", Action: "scale", Parameters: []parameter{{Name: "replicas", Default: "2"}}},
	}
	cases := map[string]struct{ output, want string }{
		"Table": {table.AsTable, "KIND        NAMESPACE  NAME  ACTION  STATE     PARAMETERS\n" +
			"Deployment  shop       web   resume  disabled\nDeployment  shop       web   scale   enabled   replicas=2\n"},
		"Name": {table.AsName, "Deployment.apps/web resume\nDeployment.apps/web scale\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			a := &actionsFlags{Global: &command.Global{Streams: command.Streams{Out: &out, Err: &errs}}, output: tc.output}
			if err := a.print(all); err != nil {
				t.Fatal(err)
			}
			if out.String() != tc.want {
				t.Errorf("got\n%s\nwant\n%s", out.String(), tc.want)
			}
		})
	}
}
