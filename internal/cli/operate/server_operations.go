package operate

import (
	"context"
	"fmt"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// servable refuses what a server does not do, before anything is read.
func (s *syncFlags) servable(h *target.Hub) error {
	if h.Server != nil && (s.freely || s.local != "") {
		return target.ErrServed("a sync with --ignore-dependencies or --local")
	}
	return nil
}

// askServer asks a server for a sync, or to go back to one.
func (s *syncFlags) askServer(ctx context.Context, h *target.Hub, name string, resources []v1alpha1.SyncOperationResource) (mark string, err error) {
	app, err := h.Application(ctx, name)
	if err != nil {
		return "", err
	}
	if s.back != nil {
		mark, err = h.Server.Rollback(ctx, target.KeyOf(app), &api.Rollback{Sync: s.back.ID, Prune: s.prune, DryRun: s.dryRun})
	} else {
		mark, err = h.Server.Sync(ctx, target.KeyOf(app), s.wanted(resources))
	}
	if err != nil {
		return "", fmt.Errorf("cannot %s: %w", s.verb(), h.Explain(err))
	}
	return mark, nil
}

// wanted is what the flags ask for, in the words of the API.
func (s *syncFlags) wanted(resources []v1alpha1.SyncOperationResource) *api.Sync {
	want := &api.Sync{Revision: s.revision, Prune: s.prune, DryRun: s.dryRun, Force: s.force, NoHooks: s.noHooks, Options: s.all()}
	if s.retries != unsaid {
		want.Retries = &s.retries
	}
	for _, r := range resources {
		want.Resources = append(want.Resources, api.Ref{Group: r.Group, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name})
	}
	return want
}

// deleteServed asks a server to delete an Application. It knows three ways.
func (d *deleteFlags) deleteServed(ctx context.Context, h *target.Hub, name string) error {
	if d.noHooks {
		return target.ErrServed("a deletion without hooks")
	}
	app, err := h.Application(ctx, name)
	if err != nil {
		return err
	}
	how := gitops.DeleteOrphan
	for _, f := range d.finalizers(app) {
		if operation.Cascading(f) {
			how = gitops.DeleteForeground
			if f == v1alpha1.FinalizerResourcesBackground {
				how = gitops.DeleteBackground
				break
			}
		}
	}
	if err := h.Server.Delete(ctx, target.KeyOf(app), how); err != nil {
		return fmt.Errorf("cannot delete: %w", h.Explain(err))
	}
	_, err = fmt.Fprintf(d.Out, "%s: is being deleted\n", name)
	return err
}
