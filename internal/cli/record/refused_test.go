package record

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
)

// TestHistoriesNamedByNothing: another one would be looked into, and its answer taken for that of the one that was meant.
func TestHistoriesNamedByNothing(t *testing.T) {
	clitest.Refuses(t, NewAudit, map[string]string{
		"list --store _": "--store has no value", "export --history-file _": "--history-file has no value", "verify --store _": "--store has no value",
	})
	clitest.Refuses(t, NewChanges, map[string]string{"--history-file _": "--history-file has no value"})
	clitest.Refuses(t, NewHistory, map[string]string{"shop --history-file _": "--history-file has no value", "shop --diff _ 3": "a sync is named by nothing", "shop --diff 3 _": "a sync is named by nothing"})
	clitest.Refuses(t, NewTrace, map[string]string{"shop --history-file _": "--history-file has no value", "shop _": "a sync is named by nothing"})
}

// TestOutcomesThatThereAreNot: that no entry has one would be taken for an answer.
func TestOutcomesThatThereAreNot(t *testing.T) {
	clitest.Refuses(t, NewAudit, map[string]string{
		"list --outcome deny": `cannot filter by the outcome "deny": choose one of allowed, denied, failed`, "export --outcome Failed": `did you mean "failed"?`, "list --outcome x": `"x": choose one of`,
	})
}
