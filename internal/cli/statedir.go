package cli

import (
	"os"
	"path/filepath"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const stateDirName = gitops.StateFolder

// stateFolder is where the state of local fleets is: what --state-dir says,
// else the nearest .causeway in this folder or one above, else here.
func (g *global) stateFolder() string {
	if g.stateDir != "" {
		return g.stateDir
	}
	here, err := os.Getwd()
	if err != nil {
		return stateDirName
	}
	for dir := here; ; {
		candidate := filepath.Join(dir, stateDirName)
		if info, err := os.Stat(candidate); err == nil && info.IsDir() {
			return candidate
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return filepath.Join(here, stateDirName)
		}
		dir = parent
	}
}
