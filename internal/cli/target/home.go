package target

import (
	"fmt"
	"os"
	"strings"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local"
)

// Home finds the local fleet that a command is about: the one that is named,
// else the only one that runs, else the only one there is.
func Home(g *command.Global) (local.Home, error) {
	dir, err := StateFolder(g)
	if err != nil {
		return local.Home{}, err
	}
	homes, err := local.Homes(dir)
	if err != nil {
		return local.Home{}, err
	}
	if g.Fleet != "" {
		return named(g.Fleet, dir, homes)
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
		return local.Home{}, command.Usagef("several fleets run (%s): name one with --fleet", strings.Join(names(running), ", "))
	case len(homes) == 1:
		return homes[0], nil
	case len(homes) > 1:
		return local.Home{}, command.Usagef("no fleet runs, and %s have state: name one with --fleet", strings.Join(names(homes), ", "))
	}
	return local.Home{}, fmt.Errorf("there is no local fleet of this folder or one above (in %s): start one with `causeway up`, or name the folder of its state with --state-dir", table.Short(dir))
}

func named(name, dir string, homes []local.Home) (local.Home, error) {
	for _, home := range homes {
		if home.Fleet() == name {
			return home, nil
		}
	}
	return local.Home{}, fmt.Errorf("there is no fleet %q in %s%s", name, table.Short(dir), gitops.DidYouMean(name, names(homes)))
}

func names(homes []local.Home) []string {
	out := make([]string, 0, len(homes))
	for _, home := range homes {
		out = append(out, home.Fleet())
	}
	return out
}

// StateFolder is where the state of local fleets is: what --state-dir says,
// else the user's own folder for this folder or one above.
func StateFolder(g *command.Global) (string, error) {
	if g.StateDir != "" {
		return g.StateDir, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("cannot tell which folder this is: %w", err)
	}
	return local.StateFolder(here)
}
