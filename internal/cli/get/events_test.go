package get

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// What Kubernetes says is shown whole, in as many lines as it takes, and tells the terminal nothing.
func TestPrintEvents(t *testing.T) {
	all := []api.Event{
		{Type: "Warning", Reason: "FailedCreate", Message: "pods \"web-1\" is forbidden:\nexceeded quota", Count: 12, Last: clitest.Noon.Add(-5 * time.Minute)},
		{Type: "Normal", Reason: "Scaled", Message: "\x1b[2Jup", Count: 1},
	}
	var out bytes.Buffer
	if err := eventsTable(all, clitest.Noon).Print(&out, live.Plain(), 60); err != nil {
		t.Fatal(err)
	}
	want := "LAST  TYPE     REASON        TIMES  MESSAGE\n" +
		"5m    Warning  FailedCreate  12     pods \"web-1\" is\n" +
		"                                    forbidden: exceeded\n" +
		"                                    quota\n"
	if !strings.HasPrefix(out.String(), want) || !strings.Contains(out.String(), "-     Normal") || strings.Contains(out.String(), "\x1b") {
		t.Errorf("got\n%q\nwant\n%q", out.String(), want)
	}
}

func TestPrintNoEvents(t *testing.T) {
	cases := map[string]struct{ output, out, errs string }{
		"Table": {table.AsTable, "", "no events: clusters keep them for about an hour\n"},
		"JSON":  {table.AsJSON, "[]\n", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			e := &eventsFlags{Global: &command.Global{Streams: command.Streams{Out: &out, Err: &errs}}, output: tc.output}
			if err := e.print([]api.Event{}); err != nil {
				t.Fatal(err)
			}
			if out.String() != tc.out || errs.String() != tc.errs {
				t.Errorf("got %q and %q; want %q and %q", out.String(), errs.String(), tc.out, tc.errs)
			}
		})
	}
}
