package install

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/tabletest"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

func TestTables(t *testing.T) {
	tabletest.Try(t, func(string) map[string]table.Table {
		return map[string]table.Table{
			"import, parts": partsTable(tabletest.Lengthy[[]takeover.Finding]()), "import, applications": takeoverTable(tabletest.Lengthy[[]takeover.Comparison]()),
			"import, sets": setsTable(tabletest.Lengthy[[]takeover.SetComparison]()),
		}
	})
}
