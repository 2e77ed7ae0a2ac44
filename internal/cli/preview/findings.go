package preview

import (
	"fmt"
	"slices"

	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// place is file:line, or the subject where no file is known.
func place(f forecast.Finding) string {
	switch {
	case f.File == "":
		return table.Dash(f.Subject)
	case f.Line == 0:
		return screen.Line(f.File)
	}
	return fmt.Sprintf("%s:%d", screen.Line(f.File), f.Line)
}

func onClusters(f forecast.Finding) string {
	if len(f.Clusters) == 0 || slices.Contains(f.Clusters, "") {
		return ""
	}
	const most = 5
	return " " + screen.Words("(on "+gitops.Listed(f.Clusters, most)+")")
}
