package app

import (
	"cmp"
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/clustermetadata"
	"github.com/causeway-gitops/causeway/internal/controller/members"
	"github.com/causeway-gitops/causeway/internal/controller/metadataschema"
	"github.com/causeway-gitops/causeway/internal/controller/route"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// clusterMetadata registers the controller of ClusterMetadata.
func (e *Engine) clusterMetadata() error {
	hub, err := client.NewWithWatch(e.cfg.Hub, client.Options{Scheme: e.manager.GetScheme()})
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	bell, flood := &wake.Bell{}, cmp.Or(e.cfg.Pauses.Flood, wake.FloodPause)
	sources, facts := wake.NewPace[types.NamespacedName](wake.FloodBurst, flood), wake.NewPace[string](wake.FloodBurst, flood)
	r := clustermetadata.New(clustermetadata.Options{
		Objects: e.manager.GetClient(), Hub: hub, Namespace: e.cfg.Namespace, Facts: members.Facts(e.fleet), Lost: e.cfg.Pauses.Lacking,
		Ring: bell.Ring, Changed: bell.Paced(sources), Writes: wake.NewPace[clustermetadata.Write](wake.FloodBurst, flood),
		Events: e.events, Log: e.cfg.Log,
	})
	if err := e.manager.Add(r); err != nil {
		return fmt.Errorf("cannot follow the sources of cluster metadata: %w", err)
	}
	for _, told := range []*listeners{&e.served, &e.answering, &e.noded} {
		told.add(func(server string) {
			r.Tells(server)
			e.ringFacts(bell, facts.Pause(gitops.ServerKey(server), factsSettle))
		})
	}
	return ctrl.NewControllerManagedBy(e.manager).Named("clustermetadata").
		For(&causeway.ClusterMetadata{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(e.allMetadata),
			builder.WithPredicates(route.IsOrWas(clustersecret.IsCluster), described())).
		WatchesRawSource(bell).
		WithOptions(working(1)).
		Complete(r)
}

// metadataSchemas registers the controller of MetadataSchema.
func (e *Engine) metadataSchemas() error {
	hub, err := client.New(e.cfg.Hub, client.Options{Scheme: e.manager.GetScheme()})
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	bell := &wake.Bell{}
	r := metadataschema.New(metadataschema.Options{
		Objects: e.manager.GetClient(), Hub: hub, Clusters: e.fleet.Clusters, Namespace: e.cfg.Namespace, Ring: bell.Ring,
		Events: e.events, Log: e.cfg.Log,
	})
	if err := e.manager.Add(r); err != nil {
		return fmt.Errorf("cannot look for policies: %w", err)
	}
	e.described.add(func(string) { e.allSchemas(bell) })
	return ctrl.NewControllerManagedBy(e.manager).Named("metadataschema").
		For(&causeway.MetadataSchema{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesRawSource(bell).
		WithOptions(working(1)).
		Complete(r)
}

// countPause gathers changes of many clusters into one count of what they break.
const countPause = time.Second

// allSchemas counts anew what the clusters of the fleet break.
func (e *Engine) allSchemas(bell *wake.Bell) {
	var list causeway.MetadataSchemaList
	if err := e.manager.GetClient().List(context.Background(), &list, client.InNamespace(e.cfg.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return // the caches are not there yet: each schema is looked at then anyway
	}
	for i := range list.Items {
		bell.RingAfter(types.NamespacedName{Namespace: list.Items[i].Namespace, Name: list.Items[i].Name}, countPause)
	}
}

// factsSettle gathers what many clusters tell of themselves in one moment.
const factsSettle = 200 * time.Millisecond

// ringFacts wakes each ClusterMetadata with something that clusters tell of
// themselves: one of them tells something else now. A cluster that does so without
// end is heard after a pause.
func (e *Engine) ringFacts(bell *wake.Bell, pause time.Duration) {
	var list causeway.ClusterMetadataList
	if err := e.manager.GetClient().List(context.Background(), &list, client.InNamespace(e.cfg.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return // the caches are not there yet: each object is looked at then anyway
	}
	for i := range list.Items {
		if clustermetadata.AsksClusters(&list.Items[i]) {
			bell.RingAfter(client.ObjectKeyFromObject(&list.Items[i]), pause)
		}
	}
}

// described lets through what changes the description of a cluster.
func described() predicate.Predicate {
	return predicate.Or(predicate.LabelChangedPredicate{}, predicate.AnnotationChangedPredicate{})
}

// allMetadata wakes each ClusterMetadata: a cluster came, went or changed.
func (e *Engine) allMetadata(ctx context.Context, secret client.Object) []reconcile.Request {
	var list causeway.ClusterMetadataList
	if err := e.manager.GetClient().List(ctx, &list, client.InNamespace(e.cfg.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil
	}
	var out []reconcile.Request
	for _, name := range clustermetadata.Concerned(secret, list.Items) {
		out = append(out, reconcile.Request{NamespacedName: name})
	}
	return out
}
