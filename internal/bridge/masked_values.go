package bridge

import (
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// hidden takes the values of Secrets and of stores that hold some, and what is known to be secret, out of what is shown.
func hidden(k gitops.Key, fields []FieldChange, known redact.Known) []FieldChange {
	for i := range fields {
		f := &fields[i]
		f.Before, f.After = shown(k, f.Path, f.Before, known), shown(k, f.Path, f.After, known)
	}
	return fields
}

// shown is a value as it may be shown.
func shown(k gitops.Key, path string, value any, known redact.Known) any {
	if k.Kind == "Secret" && k.Group == "" && holdsValues(path) {
		return redacted
	}
	if redact.HoldsAt(k, steps(path), value) || known.Within(value) {
		return redacted
	}
	return value
}

// holdsValues reports whether the values of a Secret are at a path, however people
// write it, or below it.
func holdsValues(path string) bool {
	first := append(steps(path), "data")[0]
	return first == "data" || first == "stringData"
}

const redacted = redact.Mask
