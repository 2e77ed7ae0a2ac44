package operate

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/tabletest"
)

func TestTables(t *testing.T) {
	tabletest.Try(t, func(string) map[string]table.Table {
		out := tabletest.Lengthy[rolloutView]()
		for i := range out.Steps {
			out.Steps[i].Done = i
		}
		steps, waits := rolloutTables(out, clitest.Noon)
		return map[string]table.Table{
			"actions list": actionsTable(tabletest.Lengthy[[]available]()), "rollout, steps": steps, "rollout, waits": waits,
			"wait": waitTable(tabletest.Lengthy[[]waited]()),
		}
	})
}
