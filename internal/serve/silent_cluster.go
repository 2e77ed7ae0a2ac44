package serve

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// unlessAway does what may need a cluster, and much else beside: it goes on as
// long as it takes, unless the cluster turns out to not answer.
func unlessAway[T any](ctx context.Context, app *v1alpha1.Application, awake func(context.Context, *v1alpha1.Application) error, work func(context.Context, *v1alpha1.Application) (T, error)) (T, error) {
	ctx, stop := context.WithCancelCause(ctx)
	asked := make(chan struct{})
	go func() { // waited for below
		defer close(asked)
		if err := crew.Safely(func() error { return awake(ctx, app) }); err != nil {
			stop(err)
		}
	}()
	out, err := work(ctx, app)
	if silent := context.Cause(ctx); away(silent) {
		err = silent // also where something came out of it: what was cut short need not be whole
	}
	stop(nil)
	<-asked
	return out, err
}

// read is own in the time that a cluster has to answer.
func (l looker) read(ctx context.Context, at *Admitted, app *v1alpha1.Application, ref api.Ref) (*unstructured.Unstructured, error) {
	return inTime(ctx, answerTime, at.Cluster.Desc().Name, func(ctx context.Context) (*unstructured.Unstructured, error) { return l.own(ctx, at, app, ref) })
}

// around tells what is around an application, unless its cluster does not answer.
type around struct {
	looker
	api.Surroundings
}

// Orphans implements api.Surroundings: whom the cluster does not let read a kind is
// not told of objects that it has, and of why.
func (a around) Orphans(ctx context.Context, app *v1alpha1.Application) (*api.Orphans, error) {
	found, err := unlessAway(ctx, app, a.awake, a.Surroundings.Orphans)
	if err != nil || len(found.Objects) == 0 {
		return found, err
	}
	at, err := a.on.Admit(ctx, app)
	if err != nil {
		return nil, err
	}
	keys := make([]gitops.Key, 0, len(found.Objects))
	for _, o := range found.Objects {
		keys = append(keys, gitops.Key(o))
	}
	var hidden hiddenKinds
	shows := a.showsAll(ctx, at.Cluster, app, keys)
	out := &api.Orphans{Asked: found.Asked, Objects: make([]api.Unowned, 0, len(keys))}
	for _, k := range keys {
		why := shows(k)
		if why == nil {
			out.Objects = append(out.Objects, api.Unowned(k))
			continue
		}
		if !gitops.IsProblem(why, gitops.Forbidden) {
			return nil, why
		}
		hidden.add(why)
	}
	out.Partial = hidden.String()
	return out, nil
}
