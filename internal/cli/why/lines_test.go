package why

import (
	"bytes"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/table"
)

// printing prints what a question about the chain is answered.
func printing(t *testing.T, out *bytes.Buffer) *whyChainFlags {
	t.Helper()
	return &whyChainFlags{Flags: checkout.Flags{Global: clitest.Global(t, out)}, output: table.AsTable}
}

// TestWhoWroteTheSourcesAddsNoLine: files may have any name, and a line more would be another answer.
func TestWhoWroteTheSourcesAddsNoLine(t *testing.T) {
	forged := "a.yaml\n  follows label tier = \"x\"" + clitest.Steering
	trace := &bridge.KeyTrace{
		Key: bridge.Key{In: bridge.Label, Name: forged}, Cluster: forged, Value: forged, Instead: forged, SetBy: bridge.Setter{Where: forged},
		Readers: []bridge.SetTrace{{Reader: bridge.Reader{Set: forged, Where: forged}, Problem: forged, Follow: []bridge.AppTrace{{
			Application: forged, Note: forged, Parameters: []bridge.FieldChange{{Path: forged, Before: forged}},
			Objects: []bridge.ObjectTrace{{Object: forged, Where: forged, Fields: []bridge.FieldChange{{Path: forged, Before: forged}}}},
		}}}},
	}
	field := &bridge.FieldTrace{
		Application: forged, Object: forged, Path: forged, Where: forged, Value: forged, Set: forged, Cluster: forged, Notes: []string{forged},
		Keys: []bridge.KeyOrigin{{Key: bridge.Key{In: bridge.Label, Name: forged}, Value: forged, SetBy: bridge.Setter{Where: forged}, Parameters: []bridge.FieldChange{{Path: forged, Before: forged}}}},
	}
	value := explained{Path: "tag", Value: "x", Layers: []explainedFrom{{Kind: "chart", Name: "c", Where: "values.yaml:1", Value: "x"}}}
	for name, c := range map[string]struct {
		print func(*whyChainFlags) error
		lines int
	}{
		"key":   {func(w *whyChainFlags) error { return w.printKeys([]*bridge.KeyTrace{trace}) }, 10},
		"field": {func(w *whyChainFlags) error { return w.printField(field) }, 5},
		"value": {func(w *whyChainFlags) error { return w.printHelm([]explained{value}, field) }, 6},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := c.print(printing(t, &out)); err != nil || strings.Contains(out.String(), "\n  follows label tier") {
				t.Errorf("it says: %v\n%s", err, out.String())
			}
			clitest.OnlySays(t, out.String(), c.lines)
		})
	}
}
