package get

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
)

// NewKubeconfig returns the command kubeconfig.
func NewKubeconfig(g *command.Global) *cobra.Command {
	return &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print where the kubeconfig of the local fleet is",
		Long: "Print the path of the kubeconfig of the local fleet: it has a context for each cluster, and the hub is\n" +
			"current. It is in the user's own folder, and not in the checkout that the fleet was started in.",
		Example: "  export KUBECONFIG=$(causeway kubeconfig)",
		Args:    command.None,
		RunE: func(*cobra.Command, []string) error {
			home, err := target.Home(g)
			if err != nil {
				return err
			}
			_, err = home.Contexts() // others would run what a stranger has put there
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("fleet %s has no kubeconfig yet: start it with `causeway up`", home.Fleet())
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(g.Out, home.Kubeconfig())
			return err
		},
	}
}
