package preview

import (
	"bytes"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// TestDocumentsAreForPrograms: what others wrote has the same value in JSON and YAML,
// whatever it looks like.
func TestDocumentsAreForPrograms(t *testing.T) {
	const title = "hosts\n::1 localhost\n##[section]a" + clitest.Steering
	for _, output := range []string{table.AsJSON, table.AsYAML} {
		var out bytes.Buffer
		p := &previewFlags{Flags: checkout.Flags{Global: clitest.Global(t, &out)}, output: output}
		if err := p.print(&forecast.Forecast{Head: forecast.Side{Title: title}}); err != nil {
			t.Fatal(err)
		}
		var got forecast.Forecast
		if err := yaml.Unmarshal(out.Bytes(), &got); err != nil || got.Head.Title != title {
			t.Errorf("as %s the title is %q: %v", output, got.Head.Title, err)
		}
	}
}
