package secretfleet

import (
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/controller/clusterexternalsecret"
)

// clusterwide makes the ExternalSecrets of ClusterExternalSecrets.
var clusterwide = extra{
	without: "ClusterExternalSecrets are left alone",
	lists: []schema.GroupVersionKind{
		esv1.GroupVersion.WithKind(esv1.ClusterExternalSecretKind), corev1.SchemeGroupVersion.WithKind("Namespace"),
	},
	controller: Member.clusterExternalSecrets,
}

func (m Member) clusterExternalSecrets(c cluster.Cluster, _ parts, log logr.Logger) (controller.Controller, error) {
	r := clusterexternalsecret.New(clusterexternalsecret.Options{Objects: c.GetCache(), Live: c.GetAPIReader(), Cluster: c.GetClient(), Now: m.Now})
	namespace := &metav1.PartialObjectMetadata{}
	namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	return m.controller("clusterexternalsecret", r, []source.Source{
		source.Kind[client.Object](c.GetCache(), &esv1.ClusterExternalSecret{}, &handler.EnqueueRequestForObject{}, changed),
		source.Kind[client.Object](c.GetCache(), &esv1.ExternalSecret{}, handler.EnqueueRequestsFromMapFunc(r.OfExternalSecret), written),
		source.Kind[client.Object](c.GetCache(), namespace, handler.EnqueueRequestsFromMapFunc(r.OfNamespace), moved),
	}, m.filled, log)
}

// moved lets through what decides whether a namespace is selected, and whether something
// can be made in it.
var moved = predicate.Or[client.Object](predicate.TypedLabelChangedPredicate[client.Object]{}, predicate.TypedFuncs[client.Object]{UpdateFunc: deletionChanged})
