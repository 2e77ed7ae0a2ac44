package route

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/bulkhead"
)

// Owner is to whom the work on an Application belongs; false where it is gone.
func (r *Router) Owner(ctx context.Context, name types.NamespacedName) (bulkhead.Owner, bool) {
	app := &v1alpha1.Application{}
	if r.Reader.Get(ctx, name, app) != nil {
		return bulkhead.Owner{}, false
	}
	o := bulkhead.Owner{Project: app.Spec.GetProject()}
	if c, err := r.Destination(app.Spec.Destination); err == nil {
		o.Cluster = c.Server
	}
	return o, true
}

// OwnerOfSet is to whom the work on an ApplicationSet belongs: the project of
// what it makes, as the template says it.
func (r *Router) OwnerOfSet(ctx context.Context, name types.NamespacedName) (bulkhead.Owner, bool) {
	set := &v1alpha1.ApplicationSet{}
	if r.Reader.Get(ctx, name, set) != nil {
		return bulkhead.Owner{}, false
	}
	return bulkhead.Owner{Project: set.Spec.Template.Spec.GetProject()}, true
}
