package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/cluster"
	"github.com/causeway-gitops/causeway/internal/controller/clustermetadata"
	"github.com/causeway-gitops/causeway/internal/controller/metadataschema"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/fleet"
)

// clusterMetadata registers the controller of ClusterMetadata.
func (e *Engine) clusterMetadata() error {
	hub, err := client.NewWithWatch(e.cfg.Hub, client.Options{Scheme: e.manager.GetScheme()})
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	bell := &wake.Bell{}
	r := clustermetadata.New(clustermetadata.Options{
		Objects: e.manager.GetClient(), Hub: hub, Namespace: e.cfg.Namespace, Facts: e.factsOf, Ring: bell.Ring, Lost: e.cfg.Pauses.Lacking,
		Events: e.events, Log: e.cfg.Log,
	})
	if err := e.manager.Add(r); err != nil {
		return fmt.Errorf("cannot follow the sources of cluster metadata: %w", err)
	}
	return ctrl.NewControllerManagedBy(e.manager).Named("clustermetadata").
		For(&causeway.ClusterMetadata{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(e.allMetadata),
			builder.WithPredicates(predicate.NewPredicateFuncs(cluster.IsCluster), described())).
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

// factTime bounds how long one cluster is asked for its facts.
const factTime = 10 * time.Second

// factsOf are what a cluster tells of itself. The version is known from what
// it serves; nodes are listed only where a fact of theirs is asked for.
func (e *Engine) factsOf(ctx context.Context, secret string, asked []causeway.ClusterFact) (map[causeway.ClusterFact]string, error) {
	members := e.fleet.Members()
	i := slices.IndexFunc(members, func(c *fleet.Cluster) bool { return c.Desc().Secret == secret })
	if i < 0 {
		return nil, fmt.Errorf("cluster Secret %s describes no cluster that can be used", secret)
	}
	ctx, cancel := context.WithTimeout(ctx, factTime)
	defer cancel()
	known, err := members[i].Facts(ctx)
	if err != nil {
		return nil, err
	}
	out := map[causeway.ClusterFact]string{causeway.FactKubernetesVersion: known.KubeVersion}
	if !slices.ContainsFunc(asked, func(f causeway.ClusterFact) bool { return f != causeway.FactKubernetesVersion }) {
		return out, nil
	}
	nodes, err := members[i].List(ctx, corev1.SchemeGroupVersion.WithKind("Node"), "")
	if err != nil {
		return nil, err
	}
	maps.Copy(out, factsOfNodes(nodes))
	return out, nil
}

// factsOfNodes are what the nodes of a cluster say. An annotation takes all
// that they say; a label only where they agree.
func factsOfNodes(nodes []unstructured.Unstructured) map[causeway.ClusterFact]string {
	out := map[causeway.ClusterFact]string{causeway.FactNodeCount: strconv.Itoa(len(nodes))}
	for fact, label := range map[causeway.ClusterFact]string{
		causeway.FactRegion: corev1.LabelTopologyRegion, causeway.FactZone: corev1.LabelTopologyZone, causeway.FactArchitecture: corev1.LabelArchStable,
	} {
		out[fact] = joined(nodes, func(n *unstructured.Unstructured) string { return n.GetLabels()[label] })
	}
	out[causeway.FactProvider] = joined(nodes, func(n *unstructured.Unstructured) string {
		id, _, _ := unstructured.NestedString(n.Object, "spec", "providerID")
		name, _, _ := strings.Cut(id, "://")
		return name
	})
	return out
}

func joined(nodes []unstructured.Unstructured, of func(*unstructured.Unstructured) string) string {
	var out []string
	for i := range nodes {
		if text := of(&nodes[i]); text != "" {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ",")
}
