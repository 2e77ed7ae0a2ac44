package object

import (
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// serverFields are filled in by the API server; in a manifest they mean nothing.
var serverFields = []string{"creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"}

// prepare copies an object as it is compared: without its status, what the
// API server keeps for itself, and nulls; numbers in one form; the data of a
// Secret as the API server keeps it.
func prepare(object map[string]any) map[string]any {
	out := gitops.PlainMap(object)
	delete(out, "status")
	if metadata, ok := out["metadata"].(map[string]any); ok {
		for _, field := range serverFields {
			delete(metadata, field)
		}
	}
	if redact.IsSecret(out) {
		redact.Fold(out)
	}
	return out
}
