package why

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/tabletest"
)

func TestTables(t *testing.T) {
	tabletest.Try(t, func(output string) map[string]table.Table {
		count := tabletest.Lengthy[bridgeCount]()
		count.cluster, count.missing, count.wrong = tabletest.Longest, []string{tabletest.Longest, "b", "c"}, []string{"a", tabletest.Longest, "c", "d", "e", "f"}
		return map[string]table.Table{
			"bridge": countsTable([]bridgeCount{count}, output), "bridge CLUSTER": keysTable(tabletest.Lengthy[bridge.ClusterReport](), output),
			"why --values": valuesTable(tabletest.Lengthy[[]explained](), output),
		}
	})
}
