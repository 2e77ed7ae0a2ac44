package difference

import (
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/causeway-gitops/causeway/internal/treediff"
)

// fieldText is a path for people. Those of many fields are kept for as long as their
// application, and keys are as long as whoever writes the object likes.
func fieldText(path fieldpath.Path) string {
	text := ""
	for i := range path {
		var step string
		if name := path[i].FieldName; name != nil {
			step = "." + treediff.Step(*name)
		} else {
			step = treediff.Step(path[i].String())
		}
		text = treediff.Join(text, step)
	}
	return strings.TrimPrefix(text, ".")
}
