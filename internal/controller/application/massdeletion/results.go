package massdeletion

import (
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// Results shows each held deletion in the result of the operation.
func Results(p *gitops.Plan, list guard.List) v1alpha1.ResourceResults {
	var out v1alpha1.ResourceResults
	guarded, digest := make(map[string]bool, len(list)), list.Digest()
	for _, name := range list.Names() {
		guarded[name] = true
	}
	for _, a := range doomed(p) {
		if !guarded[a.Key.String()] {
			continue // it moves, or it is what a hook left
		}
		out = append(out, v1alpha1.ResourceResult{
			Group: a.Key.Group, Version: a.Live.Version.Version, Kind: a.Key.Kind, Namespace: a.Key.Namespace, Name: a.Key.Name,
			Status: v1alpha1.ResultCodePruneSkipped, Message: "held until the list " + digest + " is approved", SyncPhase: v1alpha1.SyncPhase(gitops.Sync),
		})
	}
	slices.SortStableFunc(out, opstate.ByKind)
	return out
}
