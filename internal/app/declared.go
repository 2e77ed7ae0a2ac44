package app

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	kubeversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/declared"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/infra/cluster/adopt"
	"github.com/causeway-gitops/causeway/internal/infra/cluster/embedded"
	"github.com/causeway-gitops/causeway/internal/infra/cluster/kind"
)

// clusterWorkers is how many Clusters are looked at at a time: some wait for a
// cluster that does not answer.
const clusterWorkers = 4

// declaredClusters registers the controller of Clusters with its drivers,
// where the hub serves the kind and lets the engine list it.
func (e *Engine) declaredClusters(ctx context.Context) error {
	if ok, err := e.has(ctx, causeway.ClusterGVK, "clusters"); !ok {
		return err
	}
	bell := &wake.Bell{}
	changed := func(name string) { bell.Ring(types.NamespacedName{Namespace: e.cfg.Namespace, Name: name}) }
	children := embedded.New(embedded.Options{Dir: e.cfg.Embedded.Dir, Most: e.cfg.Embedded.Most, Changed: changed, Log: e.cfg.Log})
	containers := kind.New(kind.Options{Detect: kind.Detect, Dir: e.kindDir(), Changed: changed, Log: e.cfg.Log})
	e.drivers = append(e.drivers, children, containers)
	r := declared.New(declared.Options{
		Client: e.manager.GetClient(), Secrets: e.manager.GetAPIReader(),
		Drivers: map[string]declared.Driver{
			"embedded": children,
			"kind":     containers,
			"adopt":    adopt.Driver{Secrets: e.manager.GetAPIReader()},
		},
		Version: e.versionOf, Ledger: e.guard.ledger, Limits: e.guardSettings,
		Events: e.events, Log: e.cfg.Log, Now: e.cfg.Now,
	})
	asked := predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{})
	return ctrl.NewControllerManagedBy(e.manager).Named("declared").
		For(&causeway.Cluster{}, builder.WithPredicates(asked)).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(declaring)).
		Watches(&v1alpha1.Application{}, handler.Funcs{DeleteFunc: func(ctx context.Context, _ event.DeleteEvent, _ queue) { e.left(ctx, bell) }}).
		WatchesRawSource(bell).
		WithOptions(controller.Options{MaxConcurrentReconciles: clusterWorkers, RateLimiter: unwritten()}).
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

// declaring finds the Cluster that writes a Secret.
func declaring(_ context.Context, o client.Object) []reconcile.Request {
	name := declared.Declares(o)
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: o.GetNamespace(), Name: name}}}
}

// left wakes the Clusters that wait for Applications to go: one is gone.
func (e *Engine) left(ctx context.Context, bell *wake.Bell) {
	var list causeway.ClusterList
	if err := e.manager.GetClient().List(ctx, &list, client.InNamespace(e.cfg.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return // they look again by themselves
	}
	for i := range list.Items {
		if c := &list.Items[i]; !c.DeletionTimestamp.IsZero() {
			bell.RingAfter(client.ObjectKeyFromObject(c), together)
		}
	}
}

// ReasonHeld is the reason of the condition Deletable of a Cluster whose
// deletion waits for an approval.
const ReasonHeld = declared.ReasonHeld

// GoWith names, sorted, the Applications that are deleted with a Cluster,
// which an approval is for.
func GoWith(c *causeway.Cluster, all []v1alpha1.Application) []string {
	var names []string
	for _, app := range declared.Own(c, all) {
		names = append(names, app.Name)
	}
	slices.Sort(names)
	return names
}

// versionTime bounds how long a cluster may take to tell its version.
const versionTime = 10 * time.Second

// versionOf asks the cluster that a Secret describes for its version.
func (e *Engine) versionOf(ctx context.Context, secret *corev1.Secret) (string, error) {
	_, cfg, err := e.parser().Parse(secret)
	if err != nil {
		return "", err
	}
	if cfg == nil {
		cfg = e.cfg.Hub
	}
	cfg = rest.CopyConfig(cfg)
	cfg.Timeout = versionTime
	d, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return "", gitops.Problemf(gitops.Invalid, "cannot connect to the cluster: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	text, err := d.RESTClient().Get().AbsPath("/version").Do(ctx).Raw()
	if err != nil {
		return "", gitops.Problemf(gitops.Unreachable, "the cluster does not tell its version: %w", err).
			Do("look whether its API server answers, and whether the login is right")
	}
	var v kubeversion.Info
	if err := json.Unmarshal(text, &v); err != nil || v.GitVersion == "" {
		return "", gitops.Problemf(gitops.Unreachable, "what answers at the address is no Kubernetes API server").Do("correct the address")
	}
	return v.GitVersion, nil
}
