// Package repository keeps the sources' credentials what the repository and
// repo-creds Secrets say.
//
// It fetches nothing: a changed credential is used at the next look-up, which
// it asks for at once.
package repository

import (
	"context"
	"log/slog"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/report"
)

// Credentials takes one Secret's content, or nil when the Secret is gone.
type Credentials interface {
	Put(name types.NamespacedName, secret *corev1.Secret) error
}

// Reconciler reconciles repository Secrets.
type Reconciler struct {
	client      client.Client
	credentials Credentials
	events      report.Events
	changed     func()
	log         *slog.Logger
}

// New returns a Reconciler that calls changed after each change.
func New(c client.Client, creds Credentials, e report.Events, changed func(), log *slog.Logger) *Reconciler {
	return &Reconciler{client: c, credentials: creds, events: e, changed: changed, log: log}
}

// IsRepository selects the Secrets that describe repositories or credentials.
func IsRepository(obj client.Object) bool {
	switch obj.GetLabels()[v1alpha1.LabelSecretType] {
	case v1alpha1.SecretTypeRepository, v1alpha1.SecretTypeRepoCreds:
		return true
	}
	return false
}

// Reconcile hands one Secret to the sources. What it said before does not count any more
// where it cannot be used, which is a change as well.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	secret := &corev1.Secret{}
	err := r.client.Get(ctx, req.NamespacedName, secret)
	if client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, err
	}
	if err != nil || !IsRepository(secret) {
		secret = nil
	}
	if err := r.credentials.Put(req.NamespacedName, secret); err != nil {
		r.log.WarnContext(ctx, "repository Secret not used", "secret", req.Name, "error", err)
		r.events.Event(secret, corev1.EventTypeWarning, "InvalidRepository", err.Error())
	}
	r.changed()
	return reconcile.Result{}, nil
}
