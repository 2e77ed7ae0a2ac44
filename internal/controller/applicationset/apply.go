package applicationset

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// inFlight bounds the writes of one set; the API server's priority and
// fairness does the rest.
const inFlight = 16

// apply writes the changes side by side and returns the Applications that
// exist afterwards. One failure does not hold up the others.
func (r *Reconciler) apply(ctx context.Context, set *v1alpha1.ApplicationSet, c changes) ([]v1alpha1.Application, error) {
	var g errgroup.Group
	g.SetLimit(inFlight)
	errs := make([]error, len(c.create)+len(c.update)+len(c.remove))
	for i := range c.create {
		g.Go(func() error { errs[i] = r.create(ctx, set, &c.create[i]); return nil })
	}
	for i := range c.update {
		g.Go(func() error { errs[len(c.create)+i] = r.update(ctx, c.update[i]); return nil })
	}
	for i := range c.remove {
		g.Go(func() error {
			errs[len(c.create)+len(c.update)+i] = client.IgnoreNotFound(r.client.Delete(ctx, &c.remove[i]))
			return nil
		})
	}
	_ = g.Wait()
	r.logChanges(ctx, set, c)
	exist := slices.Concat(c.keep, c.create)
	for _, u := range c.update {
		exist = append(exist, *u.to)
	}
	return exist, errors.Join(errs...)
}

func (r *Reconciler) create(ctx context.Context, set *v1alpha1.ApplicationSet, app *v1alpha1.Application) error {
	if err := controllerutil.SetControllerReference(set, app, r.client.Scheme()); err != nil {
		return fmt.Errorf("cannot own application %s: %w", app.Name, err)
	}
	err := r.client.Create(ctx, app)
	if apierrors.IsAlreadyExists(err) {
		return r.adopt(ctx, set, app)
	}
	if err != nil {
		return fmt.Errorf("cannot create application %s: %w", app.Name, err)
	}
	return nil
}

// adopt takes over an Application of the same name that no set owns; one that
// another set owns stays as it is.
func (r *Reconciler) adopt(ctx context.Context, set *v1alpha1.ApplicationSet, app *v1alpha1.Application) error {
	live := &v1alpha1.Application{}
	if err := r.client.Get(ctx, client.ObjectKeyFromObject(app), live); err != nil {
		return client.IgnoreNotFound(err)
	}
	if owner := Owner(live); owner != nil {
		if owner[0] == set.Name {
			return nil // the cache is behind our own create; its event comes
		}
		return fmt.Errorf("cannot create application %s: applicationset %s owns one of that name; rename one of the two", app.Name, owner[0])
	}
	to := live.DeepCopy()
	to.Spec, to.Labels, to.Annotations, to.Finalizers = app.Spec, app.Labels, app.Annotations, app.Finalizers
	to.OwnerReferences = app.OwnerReferences
	return r.update(ctx, update{from: live, to: to})
}

func (r *Reconciler) update(ctx context.Context, u update) error {
	err := r.client.Patch(ctx, u.to.DeepCopy(), client.MergeFrom(u.from))
	if err != nil {
		return fmt.Errorf("cannot update application %s: %w", u.to.Name, err)
	}
	return nil
}

func (r *Reconciler) logChanges(ctx context.Context, set *v1alpha1.ApplicationSet, c changes) {
	if len(c.create)+len(c.update)+len(c.remove) == 0 {
		return
	}
	r.log.InfoContext(ctx, "applications written", "applicationset", set.Name,
		"created", len(c.create), "updated", len(c.update), "deleted", len(c.remove))
}
