package journal

import (
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// Origin is where manifests come from that are about to be applied, for a
// rollback to them under the rules of another day; nil when it is not known.
func Origin(t *state.Target, rendering *gitops.Rendering) *history.Origin {
	if t.Brought != nil {
		return t.Brought.Origin
	}
	out := &history.Origin{}
	for _, ref := range rendering.Remotes {
		if gitops.PublicAddress(ref.RepoURL) != ref.RepoURL {
			return nil // what may be a secret is not written down
		}
		permitted, err := policy.Besides(t.Project, ref)
		out.Besides = append(out.Besides, history.Beside{RepoURL: ref.RepoURL, Chart: ref.Chart, Open: err == nil && !permitted})
	}
	return out
}
