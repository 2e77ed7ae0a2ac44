package operate

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/cli/target"
)

// once are names that mean an application each, in their order: that of one in the
// control namespace may have the namespace before it, or not.
func once(h *target.Hub, names []string) []string {
	seen := map[client.ObjectKey]bool{}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		key := h.Key(name)
		again := seen[key]
		seen[key] = true
		return again
	})
}
