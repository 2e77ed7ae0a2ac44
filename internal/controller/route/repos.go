package route

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// Repos passes changes of repositories on until ctx ends.
func (r *Router) Repos(ctx context.Context, changes <-chan gitops.RepoChange) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case change, ok := <-changes:
			if !ok {
				return nil
			}
			r.repo(ctx, change)
		}
	}
}

// public leaves out what people write of credentials into addresses.
func public(repos []string) []string {
	out := make([]string, len(repos))
	for i, name := range repos {
		out[i] = gitops.PublicAddress(name)
	}
	return out
}

// logged is how many repositories, and how many revisions, of a change a line of
// the log has.
const logged = 10

func (r *Router) repo(ctx context.Context, change gitops.RepoChange) {
	r.Log.InfoContext(ctx, "repository changed", "repos", public(change.Repos[:min(len(change.Repos), logged)]), "revisions", change.Revisions[:min(len(change.Revisions), logged)])
	for _, name := range r.Readers.OfRepo(change) {
		r.Sets.Ring(name)
	}
	for _, name := range r.remotes.concerned(change) {
		r.Apps.Ring(name)
	}
	r.ring(ctx, func(app *v1alpha1.Application) bool {
		for _, s := range app.Spec.GetSources() {
			if change.Concerns(address.Folded(s.RepoURL), s.TargetRevision) {
				return true
			}
		}
		return false
	})
}

// Host takes an event of a Git host. Anybody sends those of one without a secret,
// and as many as they like: a set is looked at after a pause then.
func (r *Router) Host(event generate.HostEvent) {
	for _, name := range r.Readers.OfHost(event) {
		r.Sets.RingAfter(name, r.hostPace.Pause(name, 0))
	}
}
