// Package project wakes the Applications of an AppProject when its rules
// change, tells of rules that make no sense, and makes the default project
// where there is none.
//
// The rules themselves are checked where they hold: in policy, by the
// application controller.
package project

import (
	"context"
	"fmt"
	"log/slog"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/report"
)

// Reconciler reconciles AppProjects.
type Reconciler struct {
	client  client.Reader
	events  report.Events
	changed func(project string)
	log     *slog.Logger
}

// New returns a Reconciler that calls changed with the name of the project.
func New(c client.Reader, e report.Events, changed func(project string), log *slog.Logger) *Reconciler {
	return &Reconciler{client: c, events: e, changed: changed, log: log}
}

// Reconcile passes the project's name on. A project that is not valid makes an
// event: its other rules hold all the same.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	defer r.changed(req.Name)
	project := &v1alpha1.AppProject{}
	if err := r.client.Get(ctx, req.NamespacedName, project); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if err := policy.Validate(project); err != nil {
		r.log.WarnContext(ctx, "project is not valid", "project", project.Name, "error", err)
		r.events.Event(project, corev1.EventTypeWarning, "InvalidProject", err.Error())
	}
	return reconcile.Result{}, nil
}

// EnsureDefault creates the default project, which allows everything, unless
// one of that name is there.
func EnsureDefault(ctx context.Context, c client.Client, namespace string) error {
	project := policy.DefaultProject(namespace)
	if err := c.Create(ctx, project); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("cannot create project %s: %w", project.Name, err)
	}
	return nil
}
