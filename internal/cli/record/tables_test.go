package record

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/tabletest"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

func TestTables(t *testing.T) {
	tabletest.Try(t, func(output string) map[string]table.Table {
		return map[string]table.Table{
			"audit list": auditTable(tabletest.Lengthy[[]audit.Entry](), clitest.Noon),
			"changes":    commitsTable(tabletest.Lengthy[[]api.Commit](), output, clitest.Noon),
			"history":    historyTable(tabletest.Lengthy[[]history.Sync](), clitest.Noon),
		}
	})
}
