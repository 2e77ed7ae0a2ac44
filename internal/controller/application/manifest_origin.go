package application

import (
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// origin is where manifests come from that are about to be applied, for a
// rollback to them under the rules of another day; nil when it is not known.
func (t *target) origin(rendering *gitops.Rendering) *history.Origin {
	if t.brought != nil {
		return t.brought.origin
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

// known completes what the history tells of where a sync's manifests came from.
// Engines before this one noted nothing of it: whether an operation brought them
// shows in their digest, and what else was read in nothing. Then they are used
// where the project permits everything, and nowhere else.
func known(project *v1alpha1.AppProject, found *history.Kept) error {
	if found.Sync.Origin != nil {
		return nil
	}
	if strings.HasPrefix(found.Rendering.Digest, localDigest) {
		found.Sync.Origin = &history.Origin{Brought: true}
		return nil
	}
	if policy.Manifests(project) == nil {
		return nil
	}
	return gitops.Problemf(gitops.Forbidden, "cannot go back to the manifests of sync %s: the history does not tell what they were made of, and project %q permits some repositories alone", found.Sync.ID, project.Name).
		Do("name the source and the revision in the operation: they are rendered again")
}

// refuseBesides is why the project does not permit what the manifests of an
// earlier sync were made of besides its sources. What everybody may read is
// refused only where it is denied.
func (t *target) refuseBesides() error {
	if t.brought.origin == nil {
		return nil // see known
	}
	for _, b := range t.brought.origin.Besides {
		ref := gitops.SourceRef{RepoURL: b.RepoURL, Chart: b.Chart}
		permitted, err := policy.Besides(t.Project, ref)
		if err == nil && !permitted && !b.Open {
			err = policy.Source(t.Project, ref)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
