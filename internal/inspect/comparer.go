package inspect

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
)

// comparer compares as the controller does, for somebody who only looks.
func (i *Inspector) comparer() *compare.Comparer[glanced] {
	c := &compare.Comparer[glanced]{
		Namespace: i.cfg.Namespace, Projects: i.rules(), Fleet: glances{i.fleet}, Apps: applications{i.client, i.cfg.Namespace},
		Sources: i.sources, Renderer: i.render,
		Settings: i.settings.Settings, Comparing: i.settings.Comparing, Tracking: i.settings.Tracking,
	}
	if i.verify != nil {
		c.Signatures = verifier(i.verify)
	}
	return c
}

// glanced is a cluster for a look, after which no application waits for another
// kind than before.
type glanced struct{ *fleet.Cluster }

// Live implements compare.Cluster.
func (c glanced) Live(ctx context.Context, tracking string, kinds []schema.GroupVersionKind, keys []gitops.Key) (map[gitops.Key]*gitops.Live, error) {
	return c.Glance(ctx, tracking, kinds, keys)
}

// glances finds clusters for a look.
type glances struct{ *fleet.Fleet }

// Resolve implements compare.Fleet.
func (f glances) Resolve(d v1alpha1.ApplicationDestination) (glanced, error) {
	found, err := f.Fleet.Resolve(d)
	return glanced{found}, err
}

// verifier is a compare.Verifier.
type verifier hub.Verifier

// Verify implements compare.Verifier.
func (v verifier) Verify(ctx context.Context, ref gitops.SourceRef, revision string, rule gitops.SignatureRule) error {
	return v(ctx, ref, revision, rule)
}

// applications are those of the hub, as far as who looks may read them.
type applications struct {
	client    client.Reader
	namespace string
}

// All implements compare.Applications: those of the control namespace for who may not
// list others. They are the cache's own where it has them: to read only.
func (a applications) All(ctx context.Context) ([]*v1alpha1.Application, error) {
	var list v1alpha1.ApplicationList
	err := a.client.List(ctx, &list, client.UnsafeDisableDeepCopy)
	if apierrors.IsForbidden(err) {
		err = a.client.List(ctx, &list, client.InNamespace(a.namespace), client.UnsafeDisableDeepCopy)
	}
	if err != nil {
		return nil, err
	}
	out := make([]*v1alpha1.Application, len(list.Items))
	for n := range list.Items {
		out[n] = &list.Items[n]
	}
	return out, nil
}

// Get implements compare.Applications.
func (a applications) Get(ctx context.Context, name types.NamespacedName) (*v1alpha1.Application, error) {
	app := &v1alpha1.Application{}
	return app, a.client.Get(ctx, name, app)
}

// Has implements compare.Applications.
func (a applications) Has(ctx context.Context, name types.NamespacedName) bool {
	_, err := a.Get(ctx, name)
	return !apierrors.IsNotFound(err)
}
