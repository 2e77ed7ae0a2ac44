package secretfleet

import (
	"context"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/api/externalsecrets/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/externalsecret"
	"github.com/causeway-gitops/causeway/internal/controller/pushsecret"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// pushes writes to stores what PushSecrets name.
var pushes = extra{
	without:    "PushSecrets are left alone",
	lists:      []schema.GroupVersionKind{v1alpha1.GroupVersion.WithKind(v1alpha1.PushSecretKind)},
	controller: Member.pushSecrets,
}

func (m Member) pushSecrets(c cluster.Cluster, p parts, log logr.Logger) (controller.Controller, error) {
	r := pushsecret.New(pushsecret.Options{
		Objects: c.GetCache(), Live: c.GetAPIReader(), Cluster: c.GetClient(), Find: p.resolver.Find, Generate: p.generators.Generate, Compute: m.Compute,
		Open: func(ctx context.Context, found store.Store, namespace string) (pushsecret.Store, error) {
			return p.shelf.Open(ctx, found, namespace)
		},
		Templates: externalsecret.New(externalsecret.Options{Cluster: c.GetClient()}).Templates,
		Patience:  m.patience(), Now: m.Now, Log: m.Log,
	})
	ofStore := handler.EnqueueRequestsFromMapFunc(r.OfStore)
	return m.controller("pushsecret", r, []source.Source{
		source.Kind[client.Object](c.GetCache(), &v1alpha1.PushSecret{}, &handler.EnqueueRequestForObject{}, asked),
		source.Kind[client.Object](c.GetCache(), &corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.OfSecret)),
		source.Kind[client.Object](c.GetCache(), &esv1.SecretStore{}, ofStore, changed),
		source.Kind[client.Object](c.GetCache(), &esv1.ClusterSecretStore{}, ofStore, changed),
	}, m.filled, log)
}
