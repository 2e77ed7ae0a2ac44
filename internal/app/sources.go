package app

import (
	"cmp"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/clustersource"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// clusterSources registers the controller of ClusterSources.
func (e *Engine) clusterSources() error {
	hub, err := client.NewWithWatch(e.cfg.Hub, client.Options{Scheme: e.manager.GetScheme()})
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	bell := &wake.Bell{}
	pace := wake.NewPace[types.NamespacedName](wake.FloodBurst, cmp.Or(e.cfg.Pauses.Flood, wake.FloodPause))
	r := clustersource.New(clustersource.Options{
		Objects: e.manager.GetClient(), Hub: hub, Namespace: e.cfg.Namespace, Clusters: e.fleet.Clusters, Targets: e.targets,
		Check: func(s *corev1.Secret) error { _, _, err := e.parser().Parse(s); return err }, Ring: bell.Paced(pace), Kept: e.cfg.Pauses.Kept, Log: e.cfg.Log,
	})
	if err := e.manager.Add(r); err != nil {
		return fmt.Errorf("cannot follow kubeconfigs: %w", err)
	}
	return ctrl.NewControllerManagedBy(e.manager).Named("clustersource").
		For(&causeway.ClusterSource{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesRawSource(bell).
		WithOptions(working(1)).
		Complete(r)
}

// targets names the applications that target a cluster, as far as their projects
// permit them to.
func (e *Engine) targets(ctx context.Context, c gitops.Cluster) ([]string, error) {
	var list v1alpha1.ApplicationList
	if err := e.manager.GetClient().List(ctx, &list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("cannot list applications: %w", err)
	}
	var out []string
	for i := range list.Items {
		dest := list.Items[i].Spec.Destination
		found, err := e.fleet.Resolve(dest)
		if (err != nil || found.Desc().Secret != c.Secret) && dest.Name != c.Name && (c.Server == "" || dest.Server == "" || !gitops.SameServer(dest.Server, c.Server)) {
			continue
		}
		permitted, err := e.leadsTo(ctx, &list.Items[i])
		if err != nil {
			return nil, err
		}
		if permitted {
			out = append(out, list.Items[i].Name)
		}
	}
	return out, nil
}
