package doctor

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/tabletest"
)

func TestTables(t *testing.T) {
	tabletest.Try(t, func(string) map[string]table.Table {
		return map[string]table.Table{"doctor": findingsTable(tabletest.Lengthy[[]finding](), live.Plain())}
	})
}
