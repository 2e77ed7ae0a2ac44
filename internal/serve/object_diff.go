package serve

import (
	"context"
	"errors"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// Diff is what a sync would change.
func (l looker) Diff(ctx context.Context, app *v1alpha1.Application) ([]api.Difference, error) {
	if err := l.awake(ctx, app); err != nil {
		return nil, err
	}
	all, err := l.differences(ctx, app)
	if err != nil {
		return nil, err
	}
	veil, err := l.veilNow(ctx, app)
	if err != nil {
		return nil, err
	}
	out := make([]api.Difference, 0, len(all))
	for i := range all {
		d := &all[i]
		if d.Kept == "" {
			d.Diff = d.Diff.Without(veil)
		}
		one := api.Difference{Ref: refOf(d.Key, ""), Verb: string(d.Verb), Kept: d.Kept, Drifted: d.Drifted, Origin: d.Origin.String()}
		one.Changes = changesOf(&d.Diff)
		if one.Live, one.Desired, err = d.Diff.Sides(); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// differences are those of an application, without what is live of objects
// that its cluster does not show to who asks.
func (l looker) differences(ctx context.Context, app *v1alpha1.Application) ([]plan.ObjectDiff, error) {
	all, err := l.on.Stages.Diff(ctx, app)
	if err != nil {
		return nil, err
	}
	cluster, err := l.cluster(ctx, app)
	if err != nil {
		return nil, err
	}
	shows := l.shows(ctx, cluster, app)
	for i := range all {
		d := &all[i]
		if d.Verb == gitops.Create || d.Kept != "" {
			continue // nothing is live, or is shown
		}
		err := shows(d.Key)
		if errors.As(err, &reach.Barred{}) {
			all[i] = plan.ObjectDiff{Key: d.Key, Verb: gitops.Keep, Kept: "not shown: " + err.Error(), Origin: d.Origin}
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// changesOf are the fields that differ.
func changesOf(d *plan.Diff) []api.Change {
	var out []api.Change
	for _, c := range d.Changes {
		out = append(out, api.Change{Path: c.Path, Old: c.Old, New: c.New})
	}
	return out
}
