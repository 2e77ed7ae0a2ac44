package route

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Cluster takes a change of a cluster's Secret. What changes without end is taken
// as it is then, after a pause: a change may have all sets expanded that read clusters.
func (r *Router) Cluster(ctx context.Context, change gitops.ClusterChange) {
	pause := r.fleetPace.Pause(change.Secret, 0)
	for _, name := range r.Readers.OfCluster(change) {
		r.Sets.RingAfter(name, pause)
	}
	r.ringAfter(ctx, pause, uncompared)
	r.meant(ctx, change.Meant)
}

// meant wakes the applications whose destination names clusters that mean
// something else than before.
func (r *Router) meant(ctx context.Context, clusters []gitops.Cluster) {
	if len(clusters) == 0 {
		return
	}
	names, servers := map[string]bool{}, map[string]bool{}
	for _, c := range clusters {
		names[c.Name], servers[gitops.ServerKey(c.Server)] = true, true
		names[gitops.HubName] = names[gitops.HubName] || gitops.IsHub(c.Server)
	}
	r.ring(ctx, func(app *v1alpha1.Application) bool {
		d := app.Spec.Destination
		return names[d.Name] || d.Server != "" && servers[gitops.ServerKey(d.Server)]
	})
}

// Answers takes whether a cluster answers. Its applications are woken when it is
// back: what happened while it was away is unknown.
func (r *Router) Answers(ctx context.Context, server string, up bool) {
	r.dependedOn(server)
	if up {
		r.Server(ctx, server)
	}
}

// Server wakes the applications of one cluster.
func (r *Router) Server(ctx context.Context, server string) {
	r.ring(ctx, func(app *v1alpha1.Application) bool {
		c, err := r.Destination(app.Spec.Destination)
		return err == nil && c.Server == server
	})
}
