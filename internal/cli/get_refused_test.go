package cli

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/command"
)

func TestFiltersThatCannotBeMeantAreRefused(t *testing.T) {
	for args, want := range map[string]string{
		"get apps --health=Sick":                   "Degraded",
		"get clusters --health=Degraded":           "causeway get apps",
		"why shop -N team-a --value image.tag":     "--app-namespace",
		"why shop/Deployment/web -N team-a/team-b": "is no namespace",
	} {
		if got := invoke(t, strings.Fields(args)...); got.code != command.ExitUsage || !strings.Contains(got.errors, want) {
			t.Errorf("causeway %s: %d, %q does not name %q", args, got.code, got.errors, want)
		}
	}
}
