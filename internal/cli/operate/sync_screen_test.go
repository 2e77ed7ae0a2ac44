package operate

import (
	"bytes"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
)

func TestFailedSyncsTellTerminalsNothing(t *testing.T) {
	var out bytes.Buffer
	s := &syncFlags{Global: clitest.Global(t, &out)}
	_ = s.failed("mine", &v1alpha1.OperationState{Phase: "Failed", Message: "no\nbilling: Succeeded" + clitest.Steering, SyncResult: &v1alpha1.SyncOperationResult{
		Resources: v1alpha1.ResourceResults{{Kind: "A", Name: "b", Status: v1alpha1.ResultCodeSyncFailed, Message: clitest.Steering}},
	}})
	clitest.OnlySays(t, out.String(), 2)
}
