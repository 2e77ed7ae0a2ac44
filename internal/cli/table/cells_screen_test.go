package table

import (
	"bytes"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/live"
)

func TestCellsTellTerminalsNothing(t *testing.T) {
	var out bytes.Buffer
	row := Table{Header: []string{"NAME", "REVISION", "SYNC"}, Keys: 1, Rows: [][]string{{"mine", "main\nbilling  v1.2.3  Synced" + clitest.Steering, "OutOfSync"}}}
	if err := row.Print(clitest.Global(t, &out).Out, live.Plain(), 100); err != nil {
		t.Fatal(err)
	}
	clitest.OnlySays(t, out.String(), 2)
}
