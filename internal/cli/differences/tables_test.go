package differences

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/tabletest"
	"github.com/causeway-gitops/causeway/internal/plan"
)

func TestTables(t *testing.T) {
	tabletest.Try(t, func(string) map[string]table.Table {
		return map[string]table.Table{"diff": diffTable(tabletest.Lengthy[[]plan.ObjectDiff]())}
	})
}
