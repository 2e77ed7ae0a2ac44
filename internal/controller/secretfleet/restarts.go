package secretfleet

import (
	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/controller/secretrotation"
)

// restarts has workloads be restarted that use Secrets which changed, where the engine
// may see workloads. Secrets are made also where it may not.
var restarts = extra{
	without: "workloads are not restarted when Secrets change that they use",
	lists: []schema.GroupVersionKind{
		appsv1.SchemeGroupVersion.WithKind("Deployment"), appsv1.SchemeGroupVersion.WithKind("StatefulSet"), appsv1.SchemeGroupVersion.WithKind("DaemonSet"),
		corev1.SchemeGroupVersion.WithKind("Pod"),
	},
	transform:  secretrotation.Transform,
	controller: Member.rotation,
}

// rotation is the controller of restarts, whose requests are namespaces.
func (m Member) rotation(c cluster.Cluster, p parts, log logr.Logger) (controller.Controller, error) {
	r := secretrotation.New(secretrotation.Options{
		Objects: c.GetCache(), Workloads: p.own, Live: c.GetAPIReader(), Writer: c.GetClient(), Quiet: m.Quiet, Now: m.Now, Log: m.Log,
	})
	namespaces := handler.EnqueueRequestsFromMapFunc(r.Namespaces)
	var watches []source.Source
	// A refresh without a change writes a status, of each ExternalSecret each time.
	for _, kind := range []client.Object{&corev1.Secret{}, &esv1.ExternalSecret{}, &esv1.SecretStore{}, &esv1.ClusterSecretStore{}} {
		watches = append(watches, source.Kind(c.GetCache(), kind, namespaces, written))
	}
	for _, kind := range []client.Object{&appsv1.Deployment{}, &appsv1.StatefulSet{}, &appsv1.DaemonSet{}} {
		watches = append(watches, source.Kind(p.own, kind, namespaces))
	}
	return m.controller("secretrotation", r, watches, m.filled, log)
}
