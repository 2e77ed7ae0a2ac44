package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	ctrl "sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/store"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// askServer asks a server for a sync, or to go back to one.
func (s *syncFlags) askServer(ctx context.Context, h *hub, name string, resources []v1alpha1.SyncOperationResource) (mark string, err error) {
	if s.freely || s.local != "" {
		return "", errServed("a sync with --ignore-dependencies or --local")
	}
	app, err := h.application(ctx, name)
	if err != nil {
		return "", err
	}
	if s.back != nil {
		mark, err = h.server.Rollback(ctx, keyOf(app), &api.Rollback{Sync: s.back.ID, Prune: s.prune, DryRun: s.dryRun})
	} else {
		mark, err = h.server.Sync(ctx, keyOf(app), s.wanted(resources))
	}
	if err != nil {
		return "", fmt.Errorf("cannot sync: %w", h.explain(err))
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
func (d *deleteFlags) deleteServed(ctx context.Context, h *hub, name string) error {
	if d.noHooks {
		return errServed("a deletion without hooks")
	}
	app, err := h.application(ctx, name)
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
	if err := h.server.Delete(ctx, keyOf(app), how); err != nil {
		return fmt.Errorf("cannot delete: %w", h.explain(err))
	}
	_, err = fmt.Fprintf(d.Out, "%s: is being deleted\n", name)
	return err
}

// servedNames has the clusters' names by their address.
func (h *hub) servedNames(ctx context.Context) (map[string]string, error) {
	list, err := h.server.Clusters(ctx)
	if err != nil {
		return nil, err
	}
	servers := map[string]string{gitops.HubServer: gitops.HubName}
	for i := range slices.Backward(list) { // the first counts
		servers[gitops.ServerKey(list[i].Server)] = list[i].Name
	}
	return servers, nil
}

// servedClusters lists clusters as the engine sees them: the server lets nobody
// ask them by itself.
func servedClusters(ctx context.Context, h *hub, q query) ([]item, error) {
	list, err := h.server.Clusters(ctx)
	if err != nil {
		return nil, err
	}
	counts, err := h.counts(ctx)
	if err != nil {
		return nil, err
	}
	var items []item
	for i := range list {
		c := &list[i]
		if q.of(c.Project) && (q.selector == nil || q.selector.Matches(labels.Set(c.Labels))) {
			items = append(items, servedCluster(c, counts.Count(c.Name)))
		}
	}
	return items, nil
}

func servedCluster(c *clusters.Health, t fleetstatus.Tally) item {
	s := spoke{}
	s.Name, s.Server, s.Secret, s.Project, s.Labels = c.Name, c.Server, c.Secret, c.Project, c.Labels
	a := answered{state: "unreachable", version: c.Version}
	switch {
	case c.Reachable:
		a.state = "reachable"
	case c.Since == nil:
		a.state = "invalid"
	}
	a.latency = time.Duration(c.Latency) * time.Millisecond
	return clusterItem(s, t, a, c, nil)
}

// servedAudit is the audit that a server tells.
type servedAudit struct{ hub *hub }

// Audit implements auditor.
func (s servedAudit) Audit(ctx context.Context, q store.AuditQuery) ([]audit.Entry, error) {
	list, err := s.hub.server.Audit(ctx, &q)
	return list, s.hub.explain(err)
}

// ExportAudit implements auditor.
func (s servedAudit) ExportAudit(ctx context.Context, q store.AuditQuery, line func([]byte) error) error {
	return s.hub.explain(s.hub.server.ExportAudit(ctx, &q, line))
}

// VerifyAudit reads all of it, and checks each hash here.
func (s servedAudit) VerifyAudit(ctx context.Context, expect string) (audit.Report, error) {
	chain, number := audit.NewVerifier(expect), 0
	err := s.ExportAudit(ctx, store.AuditQuery{}, func(line []byte) error {
		number++
		return takeLine(chain, number, line)
	})
	if err != nil {
		return audit.Report{}, err
	}
	return chain.End()
}

// Close implements auditor.
func (s servedAudit) Close() error {
	s.hub.server.Close()
	return nil
}

type refreshFlags struct {
	*global

	hard bool
}

func newRefresh(g *global) *cobra.Command {
	r := &refreshFlags{global: g}
	cmd := &cobra.Command{
		Use:     "refresh APP…",
		Short:   "Have the engine look at Git and the cluster again",
		Long:    "Ask the engine to look at applications again now. With --hard it also renders all of them anew.",
		Example: "  causeway refresh shop\n  causeway refresh shop --hard",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("name the applications to look at again")
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
		ValidArgsFunction: g.completeApp,
	}
	cmd.Flags().BoolVar(&r.hard, "hard", false, "render everything anew, too")
	return cmd
}

func (r *refreshFlags) run(ctx context.Context, names []string) error {
	h, err := r.reach()
	if err != nil {
		return err
	}
	how := api.Normal
	if r.hard {
		how = api.Hard
	}
	names = compact(names)
	if h.server != nil && len(names) > 1 {
		return r.many(ctx, h, names, how)
	}
	for _, name := range names {
		app, err := h.application(ctx, name)
		if err != nil {
			return err
		}
		if err := refresh(ctx, h, app, how); err != nil {
			return fmt.Errorf("cannot refresh application %s: %w", name, h.explain(err))
		}
		if _, err := fmt.Fprintf(r.Out, "%s: is looked at again\n", name); err != nil {
			return err
		}
	}
	return nil
}

func refresh(ctx context.Context, h *hub, app *v1alpha1.Application, how api.Thoroughness) error {
	if h.server != nil {
		return h.server.Refresh(ctx, keyOf(app), how)
	}
	before := app.DeepCopy()
	if app.Annotations == nil {
		app.Annotations = map[string]string{}
	}
	app.Annotations[v1alpha1.AnnotationRefresh] = string(how)
	return h.client.Patch(ctx, app, ctrl.MergeFrom(before), ctrl.FieldOwner("causeway-cli"))
}
