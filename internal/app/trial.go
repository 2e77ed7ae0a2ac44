package app

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// trial expands and renders with metadata that somebody made up: what it says
// is to be fetched is fetched only where the fleet does so anyway.
type trial struct {
	inspector *Inspector
	// repos are the addresses that the fleet fetches from.
	repos map[string]bool
}

// Trial implements serve.Bridge.
func (i *Inspector) Trial(ctx context.Context, fleet bridge.Fleet) (bridge.Stages, error) {
	t := &trial{inspector: i, repos: map[string]bool{}}
	return t, t.know(ctx, fleet)
}

// know notes the addresses of all Applications, and of what sets read.
func (t *trial) know(ctx context.Context, fleet bridge.Fleet) error {
	var all v1alpha1.ApplicationList
	if err := t.inspector.client.List(ctx, &all, client.InNamespace(t.inspector.cfg.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("cannot list applications: %w", err)
	}
	for i := range all.Items {
		t.note(&all.Items[i])
	}
	for i := range fleet.Sets {
		e := fleet.Sets[i].Expansion
		if e == nil {
			continue
		}
		for j := range e.Applications {
			t.note(&e.Applications[j])
		}
		for _, r := range e.Reads.Repos {
			t.repos[r.RepoURL] = true
		}
	}
	return nil
}

func (t *trial) note(app *v1alpha1.Application) {
	for _, s := range app.Spec.GetSources() {
		t.repos[s.RepoURL] = true
	}
}

// Snapshot implements generate.Snapshots.
func (t *trial) Snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	if !t.repos[ref.RepoURL] {
		return nil, gitops.Problemf(gitops.Forbidden, "nothing of the fleet is fetched from %s: it is not fetched for a trial", gitops.PublicAddress(ref.RepoURL))
	}
	return t.inspector.sources.Snapshot(ctx, ref) // as sets do, see Inspector.generator
}

// Expand implements bridge.Stages.
func (t *trial) Expand(ctx context.Context, set *v1alpha1.ApplicationSet, clusters []gitops.Cluster) (*generate.Expansion, error) {
	i := t.inspector
	g := generate.New(listedClusters(clusters), t, projects{client: i.client, namespace: i.cfg.Namespace},
		generate.WithSettings(settings{i.client}), generate.WithResources(objects{i.client, i.client.RESTMapper()}))
	return g.Applications(ctx, set)
}

// Render implements bridge.Stages.
func (t *trial) Render(ctx context.Context, app *v1alpha1.Application) (*gitops.Rendering, error) {
	for _, s := range app.Spec.GetSources() {
		if !t.repos[s.RepoURL] {
			return nil, gitops.Problemf(gitops.Forbidden, "nothing of the fleet is fetched from %s: it is not fetched for a trial", gitops.PublicAddress(s.RepoURL))
		}
	}
	return t.inspector.Render(ctx, app)
}
