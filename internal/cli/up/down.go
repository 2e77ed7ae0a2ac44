package up

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/local"
)

// NewDown returns the command down.
func NewDown(g *command.Global) *cobra.Command {
	var file string
	var remove bool
	cmd := &cobra.Command{
		Use:   "down [--file FLEET.yaml] [--delete]",
		Short: "Stop a fleet that `up` started",
		Args:  command.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			home, err := homeToStop(g, file)
			if err != nil {
				return err
			}
			return down(cmd.Context(), g, home, remove)
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "LocalFleet file of the fleet (default: the one that runs)")
	cmd.Flags().BoolVar(&remove, "delete", false, "remove its state too: clusters, caches, logs")
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
	return cmd
}

func homeToStop(g *command.Global, file string) (local.Home, error) {
	if file != "" && g.Fleet == "" {
		fleet, err := local.Read(file)
		if err != nil {
			return local.Home{}, err
		}
		state, err := target.StateFolder(g)
		if err != nil {
			return local.Home{}, err
		}
		return local.HomeOf(state, fleet.Name)
	}
	return target.Home(g)
}

func down(ctx context.Context, g *command.Global, home local.Home, remove bool) error {
	err := home.Stop(ctx)
	switch {
	case err == nil:
		_, _ = fmt.Fprintf(g.Err, "fleet %s is stopped\n", home.Fleet())
	case !errors.Is(err, local.ErrNotRunning):
		return err
	case !home.Exists():
		_, _ = fmt.Fprintf(g.Err, "fleet %s is not running, and has no state\n", home.Fleet())
		return nil
	case !remove:
		_, _ = fmt.Fprintf(g.Err, "fleet %s is not running: nothing to stop\n", home.Fleet())
	}
	if !remove {
		return nil
	}
	lock, err := home.Lock()
	if err != nil {
		return err
	}
	if err := errors.Join(home.Clear(), lock.Release(), os.RemoveAll(home.Dir())); err != nil {
		return err
	}
	if g.StateDir == "" {
		_ = os.Remove(filepath.Dir(home.Dir())) // it goes with the last fleet of the folder
	}
	_, _ = fmt.Fprintf(g.Err, "the state of fleet %s is removed\n", home.Fleet())
	return nil
}
