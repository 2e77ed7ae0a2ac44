package app

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/bulkhead"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// ownerOf is to whom the work on an Application belongs; false where it is gone.
func (e *Engine) ownerOf(ctx context.Context, name types.NamespacedName) (bulkhead.Owner, bool) {
	app := &v1alpha1.Application{}
	if e.manager.GetClient().Get(ctx, name, app) != nil {
		return bulkhead.Owner{}, false
	}
	o := bulkhead.Owner{Project: app.Spec.GetProject()}
	if c, err := e.fleet.Resolve(app.Spec.Destination); err == nil {
		o.Cluster = c.Desc().Server
	}
	return o, true
}

// whose tells what a live object is to an Application whose tracking id it has.
// One whose destination leads nowhere now is woken when it does again.
func (e *Engine) whose(ctx context.Context, app *v1alpha1.Application, c gitops.Change) belonging {
	cluster, err := e.fleet.Resolve(app.Spec.Destination)
	if err != nil || cluster.Desc().Server != c.Server {
		return elsewhere
	}
	project, err := e.projects().Project(ctx, app.Spec.GetProject())
	if err != nil {
		return granted
	}
	desc := cluster.Desc()
	place := policy.Target{Server: desc.Server, Name: desc.Name}
	if policy.Live(project, c.Key, place, e.fleet.OfProject(project.Name)) != nil {
		return foreign
	}
	return granted
}

// ownerOfSet is to whom the work on an ApplicationSet belongs: the project of
// what it makes, as the template says it.
func (e *Engine) ownerOfSet(ctx context.Context, name types.NamespacedName) (bulkhead.Owner, bool) {
	set := &v1alpha1.ApplicationSet{}
	if e.manager.GetClient().Get(ctx, name, set) != nil {
		return bulkhead.Owner{}, false
	}
	return bulkhead.Owner{Project: set.Spec.Template.Spec.GetProject()}, true
}
