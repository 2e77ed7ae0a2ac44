package get

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/rows"
	"github.com/causeway-gitops/causeway/internal/cli/secrets"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/tabletest"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

func TestTables(t *testing.T) {
	deep := &branch{Kind: tabletest.Longest, Namespace: tabletest.Longest, Name: tabletest.Longest, Sync: "OutOfSync", Health: "Progressing", Info: tabletest.Longest}
	for range 12 {
		deep = &branch{Kind: "Deployment", Namespace: "shop", Name: "web", Sync: "Synced", Health: "Degraded", Wave: -100, Info: tabletest.Longest, Children: []*branch{deep, deep}}
	}
	schedule := tabletest.Lengthy[api.Schedule]()
	tabletest.Try(t, func(output string) map[string]table.Table {
		all := map[string]table.Table{
			"events": eventsTable(tabletest.Lengthy[[]api.Event](), clitest.Noon), "secrets": secretsTable(tabletest.Lengthy[[]secrets.Secret](), output, clitest.Noon), "orphans": orphansTable(tabletest.Lengthy[[]api.Unowned]()),
			"tree": treeTable(deep, output), "windows": windowsTable(&schedule),
		}
		for _, k := range kinds() {
			all["get "+k.aliases[0]] = (&flags{output: output}).tableOf(k, []rows.Row{longItem(k), longItem(k)})
		}
		return all
	})
}

func longItem(k kind) rows.Row {
	one := rows.Row{Cells: make([]string, len(k.header)), Wide: make([]string, len(k.wide))}
	for _, cells := range [][]string{one.Cells, one.Wide} {
		for i := range cells {
			cells[i] = tabletest.Longest
		}
	}
	return one
}
