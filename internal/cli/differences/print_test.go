package differences

import (
	"bytes"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// TestDifferencesTellTerminalsNothing: whoever writes the repository names its files, and a line more would be another difference.
func TestDifferencesTellTerminalsNothing(t *testing.T) {
	var out bytes.Buffer
	forged := "web\nprune Namespace production" + clitest.Steering
	err := Print(clitest.Global(t, &out), AsDiff, []plan.ObjectDiff{{Key: gitops.Key{Kind: "ConfigMap", Name: "a"}, Verb: "update", Origin: gitops.Origin{File: forged, Line: 3}, Kept: forged, Drifted: forged}})
	if err != nil || strings.Contains(out.String(), "\nprune") {
		t.Errorf("it says: %v\n%s", err, out.String())
	}
	clitest.OnlySays(t, out.String(), 4)
}
