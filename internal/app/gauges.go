package app

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/telemetry/gauges"
)

// measured is what metrics show of the engine.
func (e *Engine) measured() *gauges.Gauges {
	return &gauges.Gauges{
		Applications: e.cached, Named: e.cfg.AppMetrics, Clusters: e.faring, Destination: e.destination,
		Parked: e.shared.Parked, Room: e.manifests.Used, Renders: e.render.Stats, Held: e.guard.ledger.Held,
	}
}

// cached are the Applications of the cache; false until it is filled.
func (e *Engine) cached(ctx context.Context) ([]v1alpha1.Application, bool) {
	if !e.manager.GetCache().WaitForCacheSync(ctx) {
		return nil, false
	}
	list := &v1alpha1.ApplicationList{}
	err := e.manager.GetClient().List(ctx, list, client.UnsafeDisableDeepCopy)
	return list.Items, err == nil
}

// faring are the clusters of the fleet, and how they fare.
func (e *Engine) faring() []gauges.Cluster {
	var out []gauges.Cluster
	for _, c := range e.fleet.Members() {
		out = append(out, gauges.Cluster{Cluster: c.Desc(), State: c.State()})
	}
	return out
}
