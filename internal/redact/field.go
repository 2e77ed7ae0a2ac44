package redact

import (
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// wide are fields that may have a secret anywhere below them, under whatever key, or a copy
// of all others.
var wide = map[string]bool{
	"source": true, "sources": true, "data": true, "stringData": true, "template": true, gitops.AnnotationLastApplied: true,
}

// Wide reports whether a secret may stand anywhere below a field of this name, so that its
// value is not shown at all.
func Wide(field string) bool { return wide[field] }

// HasWide reports whether a value has such a field below it.
func HasWide(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for name, below := range v {
			if wide[name] || HasWide(below) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, HasWide)
	}
	return false
}
