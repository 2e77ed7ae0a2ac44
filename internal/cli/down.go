package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local"
)

func newDown(g *global) *cobra.Command {
	var file string
	var remove bool
	cmd := &cobra.Command{
		Use:   "down [--file FLEET.yaml] [--delete]",
		Short: "Stop a fleet that `up` started",
		Args:  none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			home, err := g.homeToStop(file)
			if err != nil {
				return err
			}
			return g.down(cmd.Context(), home, remove)
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "LocalFleet file of the fleet (default: the one that runs)")
	cmd.Flags().BoolVar(&remove, "delete", false, "remove its state too: clusters, caches, logs")
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
	return cmd
}

func (g *global) homeToStop(file string) (local.Home, error) {
	if file != "" && g.fleet == "" {
		fleet, err := local.Read(file)
		if err != nil {
			return local.Home{}, err
		}
		state, err := g.stateFolder()
		if err != nil {
			return local.Home{}, err
		}
		return local.HomeOf(state, fleet.Name)
	}
	return g.home()
}

func (g *global) down(ctx context.Context, home local.Home, remove bool) error {
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
	if g.stateDir == "" {
		_ = os.Remove(filepath.Dir(home.Dir())) // it goes with the last fleet of the folder
	}
	_, _ = fmt.Fprintf(g.Err, "the state of fleet %s is removed\n", home.Fleet())
	return nil
}

// home finds the local fleet that a command is about: the one that is named,
// else the only one that runs, else the only one there is.
func (g *global) home() (local.Home, error) {
	dir, err := g.stateFolder()
	if err != nil {
		return local.Home{}, err
	}
	homes, err := local.Homes(dir)
	if err != nil {
		return local.Home{}, err
	}
	if g.fleet != "" {
		return named(g.fleet, dir, homes)
	}
	var running []local.Home
	for _, home := range homes {
		if home.Running() {
			running = append(running, home)
		}
	}
	switch {
	case len(running) == 1:
		return running[0], nil
	case len(running) > 1:
		return local.Home{}, usagef("several fleets run (%s): name one with --fleet", strings.Join(names(running), ", "))
	case len(homes) == 1:
		return homes[0], nil
	case len(homes) > 1:
		return local.Home{}, usagef("no fleet runs, and %s have state: name one with --fleet", strings.Join(names(homes), ", "))
	}
	return local.Home{}, fmt.Errorf("there is no local fleet of this folder or one above (in %s): start one with `causeway up`, or name the folder of its state with --state-dir", short(dir))
}

func named(name, dir string, homes []local.Home) (local.Home, error) {
	for _, home := range homes {
		if home.Fleet() == name {
			return home, nil
		}
	}
	return local.Home{}, fmt.Errorf("there is no fleet %q in %s%s", name, short(dir), gitops.DidYouMean(name, names(homes)))
}

func names(homes []local.Home) []string {
	out := make([]string, 0, len(homes))
	for _, home := range homes {
		out = append(out, home.Fleet())
	}
	return out
}
