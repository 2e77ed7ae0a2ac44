// Package project wakes the Applications of an AppProject when its rules
// change, and makes the default project where there is none.
//
// The rules themselves are checked where they hold: in policy, by the
// application controller.
package project

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Reconciler reconciles AppProjects.
type Reconciler struct {
	changed func(project string)
}

// New returns a Reconciler that calls changed with the name of the project.
func New(changed func(project string)) *Reconciler { return &Reconciler{changed: changed} }

// Reconcile passes the project's name on.
func (r *Reconciler) Reconcile(_ context.Context, req reconcile.Request) (reconcile.Result, error) {
	r.changed(req.Name)
	return reconcile.Result{}, nil
}

// EnsureDefault creates the default project, which allows everything, unless
// one of that name is there.
func EnsureDefault(ctx context.Context, c client.Client, namespace string) error {
	project := &v1alpha1.AppProject{
		ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.DefaultProject, Namespace: namespace},
		Spec: v1alpha1.AppProjectSpec{
			SourceRepos:              []string{"*"},
			Destinations:             []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}},
			ClusterResourceWhitelist: []v1alpha1.ClusterResourceRestrictionItem{{Group: "*", Kind: "*"}},
		},
	}
	if err := c.Create(ctx, project); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("cannot create project %s: %w", v1alpha1.DefaultProject, err)
	}
	return nil
}
