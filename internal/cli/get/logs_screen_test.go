package get

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
)

// TestLogsArePrintedAsTheyAre where programs read them, in lines that are not
// longer than memory.
func TestLogsArePrintedAsTheyAre(t *testing.T) {
	var out bytes.Buffer
	l := &logsFlags{Global: clitest.Global(t, &out)}
	long := strings.Repeat("x", maxLine+1)
	if err := l.pour(strings.NewReader("a\x1b[31mred\n\n"+long+"\nlast"), "web-0", "app", &sync.Mutex{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 5 || lines[0] != "[web-0/app] a\x1b[31mred" || lines[1] != "[web-0/app] " || lines[4] != "[web-0/app] last" {
		t.Errorf("got %d lines: %.200q", len(lines), lines)
	}
}
