package inspect

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/serve"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Events are those of a live object that an application has, in its cluster, or
// of the Application itself on the hub, where no object is named; latest first.
func (i *Inspector) Events(ctx context.Context, app *v1alpha1.Application, gvk schema.GroupVersionKind, k gitops.Key) ([]api.Event, error) {
	if k.Kind == "" {
		return serve.EventsAbout(ctx, gitops.HubName, i.cfg.Hub, &corev1.ObjectReference{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.ApplicationKind, Namespace: app.Namespace, Name: app.Name, UID: app.UID,
		})
	}
	a, err := i.admit(ctx, app)
	if err != nil {
		return nil, err
	}
	live, err := i.belonging(ctx, a, gvk, k)
	if err != nil {
		return nil, err
	}
	return serve.EventsAbout(ctx, a.Cluster.Desc().Name, a.Cluster.RESTConfig(), &corev1.ObjectReference{
		APIVersion: gvk.GroupVersion().String(), Kind: k.Kind, Namespace: k.Namespace, Name: k.Name, UID: live.GetUID(),
	})
}
