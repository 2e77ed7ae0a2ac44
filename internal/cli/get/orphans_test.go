package get

import (
	"bytes"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Who is not shown all that is left over is not told that nothing is.
func TestPrintNoOrphans(t *testing.T) {
	const partial = "cluster dev does not let ann get pods\ncluster dev does not let ann get services"
	cases := map[string]struct{ output, partial, out, errs string }{
		"Table":         {table.AsTable, "", "", "no orphaned resources\n"},
		"JSON":          {table.AsJSON, "", "[]\n", ""},
		"Partial table": {table.AsTable, partial, "", "warning: cluster dev does not let ann get pods cluster dev does not let ann get services\n"},
		"Partial JSON":  {table.AsJSON, partial, "[]\n", "warning: cluster dev does not let ann get pods cluster dev does not let ann get services\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			o := &orphansFlags{Global: &command.Global{Streams: command.Streams{Out: &out, Err: &errs}}, output: tc.output}
			if err := o.print(&api.Orphans{Asked: true, Objects: []api.Unowned{}, Partial: tc.partial}); err != nil {
				t.Fatal(err)
			}
			if out.String() != tc.out || errs.String() != tc.errs {
				t.Errorf("got %q and %q; want %q and %q", out.String(), errs.String(), tc.out, tc.errs)
			}
		})
	}
}
