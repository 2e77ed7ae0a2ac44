package app

import (
	"context"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/controller/declaredcluster"
	"github.com/causeway-gitops/causeway/internal/controller/route"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/infra/cluster/adopt"
	"github.com/causeway-gitops/causeway/internal/infra/cluster/child"
	"github.com/causeway-gitops/causeway/internal/infra/cluster/kind"
)

// clusterWorkers is how many Clusters are looked at at a time: some wait for a
// cluster that does not answer.
const clusterWorkers = 4

// declaredClusters registers the controller of Clusters with its drivers.
func (e *Engine) declaredClusters() error {
	bell := &wake.Bell{}
	changed := func(name string) {
		if name != "" { // the hub may have no Secret
			bell.Ring(types.NamespacedName{Namespace: e.cfg.Namespace, Name: name})
		}
	}
	children := child.New(child.Options{Dir: e.cfg.Embedded.Dir, Most: e.cfg.Embedded.Most, Changed: changed, Log: e.cfg.Log})
	containers := kind.New(kind.Options{Detect: kind.Detect, Dir: e.kindDir(), Changed: changed, Fresh: 2 * e.cfg.Pauses.Declared, Log: e.cfg.Log})
	e.drivers = append(e.drivers, children, containers)
	r := declaredcluster.New(declaredcluster.Options{
		Client: chronicle.Deleter{Client: e.manager.GetClient(), Chronicle: e.chronicle, By: "Cluster"}, Secrets: e.manager.GetAPIReader(),
		Drivers: map[string]declaredcluster.Driver{
			"embedded": children,
			"kind":     containers,
			"adopt":    adopt.Driver{Secrets: e.manager.GetAPIReader()},
		},
		Version: e.versionOf, Ledger: e.guard.ledger, Limits: e.guardSettings, Covers: e.cfg.covers, Permits: e.leadsTo, Retry: e.cfg.Pauses.Declared,
		Events: e.events, Log: e.cfg.Log, Now: e.cfg.Now,
	})
	// The fleet takes each change of a cluster Secret, those of Clusters among them.
	e.described.add(changed)
	e.answering.add(func(server string) {
		for _, c := range e.fleet.At(server) {
			changed(c.Secret)
		}
	})
	asked := predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{})
	return ctrl.NewControllerManagedBy(e.manager).Named("declared").
		For(&causeway.Cluster{}, builder.WithPredicates(asked)).
		Watches(&v1alpha1.Application{}, handler.Funcs{DeleteFunc: func(ctx context.Context, _ event.DeleteEvent, _ wake.Queue) { e.left(ctx, bell) }}).
		WatchesRawSource(bell).
		WithOptions(working(clusterWorkers)).
		Complete(r)
}

// kindDir is beside the folders of embedded clusters: no cluster has a name
// that begins with a dot.
func (e *Engine) kindDir() string {
	if e.cfg.Embedded.Dir == "" {
		return ""
	}
	return filepath.Join(e.cfg.Embedded.Dir, ".kind")
}

// left wakes the Clusters that wait for Applications to go: one is gone.
func (e *Engine) left(ctx context.Context, bell *wake.Bell) {
	var list causeway.ClusterList
	if err := e.manager.GetClient().List(ctx, &list, client.InNamespace(e.cfg.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return // they look again by themselves
	}
	for i := range list.Items {
		if c := &list.Items[i]; !c.DeletionTimestamp.IsZero() {
			bell.RingAfter(client.ObjectKeyFromObject(c), route.Together)
		}
	}
}

// versionOf is what the fleet knows of the cluster that a Secret describes.
func (e *Engine) versionOf(ctx context.Context, secret *corev1.Secret) (string, error) {
	desc, cfg, err := e.parser().Parse(secret)
	if err != nil {
		return "", err
	}
	c, ok := e.fleet.Connected(desc, cfg)
	if !ok {
		return "", gitops.Problemf(gitops.NotReady, "Secret %s is written; the engine connects to the cluster", secret.Name)
	}
	return c.Version(ctx)
}
