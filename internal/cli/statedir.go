package cli

import (
	"fmt"
	"os"

	"github.com/causeway-gitops/causeway/internal/local"
)

// stateFolder is where the state of local fleets is: what --state-dir says,
// else the user's own folder for this folder or one above.
func (g *global) stateFolder() (string, error) {
	if g.stateDir != "" {
		return g.stateDir, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("cannot tell which folder this is: %w", err)
	}
	return local.StateFolder(here)
}
