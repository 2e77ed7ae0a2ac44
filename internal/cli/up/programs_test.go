package up

import (
	"path/filepath"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/local"
)

// TestProgramsOfClustersNeedAFlag: what a local fleet applies comes from a
// checkout, and so do Secrets of clusters and the setting that allows programs.
func TestProgramsOfClustersNeedAFlag(t *testing.T) {
	file := filepath.Join(clitest.NewStranger(t).Dir, "causeway.yaml")
	for _, wanted := range []bool{false, true} {
		u := &upFlags{Global: &command.Global{}, file: file, programs: wanted}
		fleet, err := u.fleetWanted(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		home, err := local.HomeOf(t.TempDir(), fleet.Name)
		if err == nil {
			err = home.Remember(fleet)
		}
		if err != nil {
			t.Fatal(err)
		}
		recalled, err := home.Recall()
		if err != nil {
			t.Fatal(err)
		}
		h := &target.Hub{Fleet: recalled}
		if engine := (&session{up: u, fleet: fleet, home: home}).config(nil); engine.NoPrograms == wanted || h.NoPrograms() == wanted {
			t.Errorf("--cluster-programs=%t: the engine runs none: %t, commands run none: %t", wanted, engine.NoPrograms, h.NoPrograms())
		}
	}
	if (&target.Hub{}).NoPrograms() {
		t.Error("another hub's Secrets are for its operators to write")
	}
}
