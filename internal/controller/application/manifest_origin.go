package application

import (
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/policy"
)

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
func refuseBesides(t *state.Target) error {
	if t.Brought.Origin == nil {
		return nil // see known
	}
	for _, b := range t.Brought.Origin.Besides {
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
