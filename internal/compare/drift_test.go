package compare

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestDriftedSaysHowMuchIsNotTold(t *testing.T) {
	theirs := []gitops.Deviation{{Field: "data.a", Manager: "kubectl", Operation: "Update", Policy: gitops.DriftFreeze}}
	const told = "was changed by kubectl (Update): data.a (frozen: it stays so)"
	for want, got := range map[string]string{
		told:                          Drifted(theirs, 0),
		told + "; and 51 more differ": Drifted(theirs, 51),
		"":                            Drifted([]gitops.Deviation{{Field: "data.a", Ours: true}}, 7),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
