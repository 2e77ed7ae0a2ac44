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

func TestAServersFiltersAndPods(t *testing.T) {
	_, url := newDesk(t)
	for args, want := range map[string]string{
		"get apps --search=shop -o name": "application.argoproj.io/shop\n",
		"get apps --cluster=elsewhere":   "",
		"logs shop --pod=web-1":          "[web-1/web] started\n",
	} {
		if got := asks(t, append(strings.Fields(args), "--server", url)...); got.code != command.ExitFine || got.out != want {
			t.Errorf("causeway %s: %d\n%s%s", args, got.code, got.out, got.errors)
		}
	}
	if got := asks(t, "logs", "shop", "--pod", "web-2", "--server", url); got.code != command.ExitFailed || !strings.Contains(got.errors, "has no pod web-2") {
		t.Errorf("%d\n%s%s", got.code, got.out, got.errors)
	}
}
