package login

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/tabletest"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

func TestTables(t *testing.T) {
	tabletest.Try(t, func(string) map[string]table.Table {
		return map[string]table.Table{"keys list": apiKeysTable(tabletest.Lengthy[[]api.APIKey](), clitest.Noon)}
	})
}
