package app

import (
	"cmp"
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/dependency"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/controller/route"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// newRouter makes what wakes the controllers. The fleet, which tells it of changes, is
// made after it.
func (e *Engine) newRouter() *route.Router {
	return route.New(route.Options{
		Reader: e.manager.GetClient(), Namespace: e.cfg.Namespace, Covers: e.cfg.covers, Destination: e.destination,
		Clusters: func(project string) []gitops.Cluster { return e.fleet.OfProject(project) },
		Project: func(ctx context.Context, name string) (*v1alpha1.AppProject, error) {
			return e.projects().Project(ctx, name)
		},
		Readers: applicationset.NewReaders(), Rollouts: e.rollouts, Looks: e.looks, Waits: dependency.NewRegister(),
		Flood: cmp.Or(e.cfg.Pauses.Flood, wake.FloodPause), Log: e.cfg.Log,
	})
}

// destination is the cluster that a destination leads to.
func (e *Engine) destination(d v1alpha1.ApplicationDestination) (gitops.Cluster, error) {
	c, err := e.fleet.Resolve(d)
	if err != nil {
		return gitops.Cluster{}, err
	}
	return c.Desc(), nil
}

// rendered notes what an application has read now.
func (e *Engine) rendered(app types.NamespacedName) {
	if refs, ok := e.render.Remotes(app.Namespace, app.Name); ok {
		e.router.Rendered(app, refs)
	}
}
