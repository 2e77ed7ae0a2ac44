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
	"slices"
	"time"

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
	client  client.Client
	events  report.Events
	changed func(project string)
	log     *slog.Logger
}

// New returns a Reconciler that calls changed with the name of the project.
func New(c client.Client, e report.Events, changed func(project string), log *slog.Logger) *Reconciler {
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
	if !project.DeletionTimestamp.IsZero() {
		return r.release(ctx, project)
	}
	if err := policy.Validate(project); err != nil {
		r.log.WarnContext(ctx, "project is not valid", "project", project.Name, "error", err)
		r.events.Event(project, corev1.EventTypeWarning, "InvalidProject", err.Error())
	}
	return reconcile.Result{}, nil
}

// usedPause is how soon a project that is deleted while in use is looked at again.
const usedPause = 5 * time.Second

// release lets a project that is being deleted go once no Application uses
// it: its finalizer asks for that, as in Argo CD.
func (r *Reconciler) release(ctx context.Context, project *v1alpha1.AppProject) (reconcile.Result, error) {
	if !slices.Contains(project.Finalizers, v1alpha1.FinalizerResources) {
		return reconcile.Result{}, nil
	}
	var apps v1alpha1.ApplicationList
	if err := r.client.List(ctx, &apps, client.UnsafeDisableDeepCopy); err != nil {
		return reconcile.Result{}, fmt.Errorf("cannot list the applications of project %s: %w", project.Name, err)
	}
	used := slices.ContainsFunc(apps.Items, func(app v1alpha1.Application) bool { return uses(&app, project) })
	if used {
		return reconcile.Result{RequeueAfter: usedPause}, nil
	}
	before := project.DeepCopy()
	project.Finalizers = slices.DeleteFunc(project.Finalizers, func(f string) bool { return f == v1alpha1.FinalizerResources })
	err := r.client.Patch(ctx, project, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	return reconcile.Result{}, client.IgnoreNotFound(err)
}

// uses reports whether an Application is of a project, and the project of its
// namespace: anybody may write the name of one.
func uses(app *v1alpha1.Application, project *v1alpha1.AppProject) bool {
	return app.Spec.GetProject() == project.Name && policy.Namespace(project, app.Namespace, project.Namespace) == nil
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
