package serve

import (
	"context"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// hubReader reads the hub's cache for the API.
type hubReader struct {
	// rows are what rights were told by.
	rows      *view.Index
	reader    client.Reader
	namespace string
}

func (h hubReader) Application(ctx context.Context, k view.Key) (*v1alpha1.Application, error) {
	app := &v1alpha1.Application{}
	err := h.reader.Get(ctx, client.ObjectKey{Namespace: k.Namespace, Name: k.Name}, app)
	if client.IgnoreNotFound(err) == nil && err != nil {
		return nil, gitops.Problemf(gitops.NotFound, "application %s in %s is gone", k.Name, k.Namespace)
	}
	if row := h.rows.Get(k); err == nil && (row == nil || row.Project != app.Spec.GetProject()) {
		return nil, gitops.Problemf(gitops.NotReady, "application %s is being moved to another project; try again", k.Name)
	}
	return app, err
}

// Version implements argocd.Versions.
func (h hubReader) Version(ctx context.Context, k view.Key) string {
	app := &v1alpha1.Application{}
	if h.reader.Get(ctx, client.ObjectKey(k), app, client.UnsafeDisableDeepCopy) != nil {
		return ""
	}
	return app.ResourceVersion
}

// ApplicationSets are those of the control namespace, by name: a cache has no order.
func (h hubReader) ApplicationSets(ctx context.Context) ([]v1alpha1.ApplicationSet, error) {
	var list v1alpha1.ApplicationSetList
	err := h.reader.List(ctx, &list, client.InNamespace(h.namespace))
	slices.SortFunc(list.Items, func(a, b v1alpha1.ApplicationSet) int { return strings.Compare(a.Name, b.Name) })
	return list.Items, err
}

// ApplicationSet is one of them.
func (h hubReader) ApplicationSet(ctx context.Context, k view.Key) (*v1alpha1.ApplicationSet, error) {
	gone := gitops.Problemf(gitops.NotFound, "ApplicationSet %s in %s is gone", k.Name, k.Namespace)
	if k.Namespace != h.namespace {
		return nil, gone
	}
	set := &v1alpha1.ApplicationSet{}
	err := h.reader.Get(ctx, client.ObjectKey(k), set)
	if client.IgnoreNotFound(err) == nil && err != nil {
		return nil, gone
	}
	return set, err
}

// Projects are those of the control namespace, by name.
func (h hubReader) Projects(ctx context.Context) ([]v1alpha1.AppProject, error) {
	var list v1alpha1.AppProjectList
	err := h.reader.List(ctx, &list, client.InNamespace(h.namespace))
	slices.SortFunc(list.Items, func(a, b v1alpha1.AppProject) int { return strings.Compare(a.Name, b.Name) })
	return list.Items, err
}
