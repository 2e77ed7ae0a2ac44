package history

import "github.com/causeway-gitops/causeway/internal/gitops"

// Kept is a sync together with the manifests that it applied.
type Kept struct {
	Sync      Sync
	Rendering *gitops.Rendering
}
