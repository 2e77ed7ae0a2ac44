package compare

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/room"
)

// Snapshots fetches the sources of a subject, in their order, and notes their
// commits and revisions. What is not signed as the project asks is refused.
func (c *Comparer[C]) Snapshots(ctx context.Context, s *Subject[C]) ([]*gitops.Snapshot, error) {
	snaps := make([]*gitops.Snapshot, len(s.Sources))
	s.Commits = make([]*gitops.Commit, len(s.Sources))
	revisions := make([]string, len(s.Sources))
	for i := range s.Sources {
		source := &s.Sources[i]
		ref := gitops.SourceOf(s.App, source, source.TargetRevision)
		snap, err := c.Sources.Snapshot(ctx, ref)
		if err != nil {
			return nil, err
		}
		if err := c.Signed(ctx, s, source, ref, snap.Revision); err != nil {
			return nil, err
		}
		snaps[i], s.Commits[i], revisions[i] = snap, snap.Commit, snap.Revision
	}
	s.Revisions = revisions
	return snaps, nil
}

// Render renders the snapshots of a subject for its cluster.
func (c *Comparer[C]) Render(ctx context.Context, s *Subject[C], snaps []*gitops.Snapshot) (*gitops.Rendering, error) {
	facts, err := s.Cluster.Facts(ctx)
	if err != nil {
		return nil, err
	}
	// What was lacking before is taken first: to render anew is more work.
	if err := room.Take(ctx, 0); err != nil {
		return nil, err
	}
	rendering, err := c.Renderer.Application(ctx, c.Input(s, snaps, facts))
	if c.Rendered != nil {
		c.Rendered(types.NamespacedName{Namespace: s.App.Namespace, Name: s.App.Name})
	}
	return rendering, err
}

// rendered is the Application as it is rendered.
func (s *Subject[C]) rendered() *v1alpha1.Application {
	if s.Named == nil {
		return s.App
	}
	app := *s.App // read only
	app.Spec.Source, app.Spec.Sources = nil, s.Named
	if len(s.Named) == 1 && !s.App.Spec.HasMultipleSources() {
		app.Spec.Source, app.Spec.Sources = &s.Named[0], nil
	}
	return &app
}

// Input is what a subject is rendered from, with what is known of its cluster.
func (c *Comparer[C]) Input(s *Subject[C], snaps []*gitops.Snapshot, facts gitops.Facts) render.Input {
	in := render.Input{App: s.rendered(), Snapshots: snaps, Facts: facts, TrackingName: s.Tracking}
	if c.Settings != nil {
		in.Settings = c.Settings()
	}
	return in
}
