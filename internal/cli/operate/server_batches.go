package operate

import (
	"context"
	"fmt"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/client"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/batch"
)

// askMany asks a server for a sync of each, and returns what it was asked for.
func (s *syncFlags) askMany(ctx context.Context, h *target.Hub, names []string, resources []v1alpha1.SyncOperationResource) (map[string]request, error) {
	keys, err := keys(ctx, h, names)
	if err != nil {
		return nil, err
	}
	b, err := h.Server.SyncMany(ctx, keys, s.wanted(resources))
	if err != nil {
		return nil, fmt.Errorf("cannot sync: %w", h.Explain(err))
	}
	requests, named, begin := map[string]request{}, map[client.Key]string{}, time.Now()
	for i, key := range keys {
		named[key] = names[i]
	}
	err = eachAsked(ctx, s.Global, h, b, func(r *batch.Result) error {
		requests[named[client.Key{Namespace: r.Namespace, Name: r.Name}]] = request{r.Mark, begin}
		return nil
	})
	return requests, err
}

// many asks a server for another look at each.
func (r *refreshFlags) many(ctx context.Context, h *target.Hub, names []string, how api.Thoroughness) error {
	keys, err := keys(ctx, h, names)
	if err != nil {
		return err
	}
	b, err := h.Server.RefreshMany(ctx, keys, how)
	if err != nil {
		return fmt.Errorf("cannot refresh: %w", h.Explain(err))
	}
	return eachAsked(ctx, r.Global, h, b, func(one *batch.Result) error {
		_, err := fmt.Fprintf(r.Out, "%s: is looked at again\n", gitops.NameFrom(h.Namespace, one.Namespace, one.Name))
		return err
	})
}

// keys are those of Applications by their names.
func keys(ctx context.Context, h *target.Hub, names []string) ([]client.Key, error) {
	out := make([]client.Key, 0, len(names))
	for _, name := range names {
		app, err := h.Application(ctx, name)
		if err != nil {
			return nil, err
		}
		out = append(out, target.KeyOf(app))
	}
	return out, nil
}

// eachAsked follows a batch to its end, does something with those that were
// asked for, and says of the others why they were not.
func eachAsked(ctx context.Context, g *command.Global, h *target.Hub, b *batch.Batch, asked func(*batch.Result) error) error {
	b, err := followBatch(ctx, g, h, b)
	if err != nil {
		return fmt.Errorf("cannot follow operation %s: %w", b.ID, h.Explain(err))
	}
	var failed error
	for i := range b.Results {
		r := &b.Results[i]
		if r.Stage == batch.Asked {
			if err := asked(r); err != nil {
				return err
			}
			continue
		}
		failed = command.ErrSaid
		why := r.Error
		if r.Stage != batch.Failed {
			why = "was not asked for: the operation was " + string(b.State)
		}
		_, _ = fmt.Fprintf(g.Err, "%s: %s\n", gitops.NameFrom(h.Namespace, r.Namespace, r.Name), screen.Words(why))
	}
	return failed
}

// followBatch waits for the end of a batch. Who does not wait for it ends it.
func followBatch(ctx context.Context, g *command.Global, h *target.Hub, b *batch.Batch) (*batch.Batch, error) {
	said := -1
	for b.State == batch.Running {
		if left := b.Counts.Left; left != said && said >= 0 {
			_, _ = fmt.Fprintf(g.Err, "%d of %s to ask for\n", left, gitops.Count(b.Counts.Total, "application"))
		}
		said = b.Counts.Left
		_ = command.Sleep(ctx, command.FollowPause) // its end is seen below, as it may come while the server is asked, too
		now, err := h.Server.Batch(ctx, b.ID, "none")
		switch {
		case ctx.Err() != nil:
			_ = h.Server.CancelBatch(context.WithoutCancel(ctx), b.ID) // nobody is there to be told
			return b, context.Cause(ctx)
		case err != nil:
			return b, err
		}
		b = now
	}
	ended, err := h.Server.Batch(ctx, b.ID, "all")
	if err != nil {
		return b, err
	}
	return ended, nil
}
