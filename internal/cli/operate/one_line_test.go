package operate

import (
	"bytes"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
)

// TestNamesFeignNoLines: who writes an application writes its status, and must not tell by it of another application.
func TestNamesFeignNoLines(t *testing.T) {
	const feigned = "\nshop: 3 objects synced in 1s"
	app := clitest.Settled(func(a *v1alpha1.Application) {
		a.Status.Health.Status += feigned
		a.Status.Sync.Status += feigned
		a.Status.Resources = []v1alpha1.ResourceStatus{{Kind: "A" + feigned, Namespace: "n" + feigned, Name: "b" + feigned}}
	})
	failed := &v1alpha1.OperationState{Phase: v1alpha1.OperationFailed + feigned, Message: "no", SyncResult: &v1alpha1.SyncOperationResult{Resources: v1alpha1.ResourceResults{
		{Kind: "A" + feigned, Namespace: "n" + feigned, Name: "b" + feigned, Status: v1alpha1.ResultCodeSyncFailed, Message: "no"},
	}}}
	for name, c := range map[string]struct {
		reason string
		say    func(out *bytes.Buffer) error
		lines  int
	}{
		"Preview": {"what goes with an application is one line each", func(out *bytes.Buffer) error {
			_, err := out.WriteString((&deleteFlags{}).preview(app, "mine"))
			return err
		}, 2},
		"Failed": {"so is what failed of a sync", func(out *bytes.Buffer) error {
			_ = (&syncFlags{Global: clitest.Global(t, out)}).failed("mine", failed) // it always says that all is said
			return nil
		}, 2},
		"Done": {"how it is afterwards", func(out *bytes.Buffer) error {
			return (&syncFlags{Global: clitest.Global(t, out)}).done("mine", app, &v1alpha1.OperationState{}, 0)
		}, 1},
		"Waits": {"what a sync waits for", func(out *bytes.Buffer) error {
			_, err := out.WriteString(waitingFor(app))
			return err
		}, 0},
		"Roll-out": {"and what a roll-out waits for", func(out *bytes.Buffer) error {
			return printRollout(&command.Global{Streams: command.Streams{Out: out}, NoColor: true}, rolloutView{Name: "addons", Message: "it waits" + feigned}, table.AsTable, clitest.Noon)
		}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := c.say(&out); err != nil {
				t.Fatal(err)
			}
			if text := out.String(); strings.Contains(text, "\nshop:") || strings.Count(text, "\n") != c.lines || !strings.Contains(text, strings.TrimSpace(feigned)) {
				t.Errorf("%s: got %d lines\n%s", c.reason, strings.Count(text, "\n"), text)
			}
		})
	}
}
