package secretfleet

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/controller/secretrotation"
	"github.com/causeway-gitops/causeway/internal/crew"
)

// restarts has workloads be restarted that use Secrets which changed, where the engine
// may see workloads. Secrets are made also where it may not.
func (m Member) restarts(ctx context.Context, c cluster.Cluster, log logr.Logger) {
	const pause = time.Minute
	// What is not permitted may be meant so; caches that do not fill are not.
	for said := map[slog.Level]bool{}; ; {
		level, err := slog.LevelInfo, lists(ctx, c.GetAPIReader())
		if err == nil {
			level, err = slog.LevelWarn, m.rotate(ctx, c, log)
		}
		if err == nil || ctx.Err() != nil {
			return
		}
		if !said[level] {
			said[level] = true
			m.Log.Log(ctx, level, "workloads are not restarted when Secrets change that they use", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(cmp.Or(m.pause, pause)):
		}
	}
}

// rotate restarts until the context ends, or caches were waited for in vain. Each time
// has a controller and a cache of workloads of its own: no controller can be started
// twice, and a cache that does not fill holds up all who wait for another kind of it.
func (m Member) rotate(ctx context.Context, c cluster.Cluster, log logr.Logger) error {
	workloads, err := cache.New(m.Config, cache.Options{
		Scheme: c.GetScheme(), Mapper: c.GetRESTMapper(), HTTPClient: c.GetHTTPClient(), DefaultTransform: secretrotation.Transform,
	})
	if err != nil {
		return fmt.Errorf("cannot connect: %w", err)
	}
	run, err := m.rotation(c, workloads, log)
	if err != nil {
		return err
	}
	g, ctx := crew.WithContext(ctx)
	ctx, end := context.WithCancel(ctx)
	g.Go(func() error { return workloads.Start(ctx) })
	g.Go(func() error {
		defer end() // the sources, the queue and the cache
		return run.Start(ctx)
	})
	return g.Wait()
}

// lists is an error where what restarts go by cannot be listed: a cache would wait for
// it without end.
func lists(ctx context.Context, live client.Reader) error {
	for _, kind := range []schema.GroupVersionKind{
		appsv1.SchemeGroupVersion.WithKind("Deployment"), appsv1.SchemeGroupVersion.WithKind("StatefulSet"), appsv1.SchemeGroupVersion.WithKind("DaemonSet"),
		corev1.SchemeGroupVersion.WithKind("Pod"),
	} {
		var some metav1.PartialObjectMetadataList
		some.SetGroupVersionKind(kind)
		if err := live.List(ctx, &some, client.Limit(1)); err != nil {
			return fmt.Errorf("cannot list each %s of the cluster: %w", kind.Kind, err)
		}
	}
	return nil
}

// rotation is the controller of restarts, whose requests are namespaces.
func (m Member) rotation(c cluster.Cluster, workloads cache.Cache, log logr.Logger) (controller.Controller, error) {
	r := secretrotation.New(secretrotation.Options{
		Objects: c.GetCache(), Workloads: workloads, Live: c.GetAPIReader(), Writer: c.GetClient(), Quiet: m.Quiet, Now: m.Now, Log: m.Log,
	})
	namespaces := handler.EnqueueRequestsFromMapFunc(r.Namespaces)
	var watches []source.Source
	// A refresh without a change writes a status, of each ExternalSecret each time.
	for _, kind := range []client.Object{&corev1.Secret{}, &esv1.ExternalSecret{}, &esv1.SecretStore{}, &esv1.ClusterSecretStore{}} {
		watches = append(watches, source.Kind(c.GetCache(), kind, namespaces, written))
	}
	for _, kind := range []client.Object{&appsv1.Deployment{}, &appsv1.StatefulSet{}, &appsv1.DaemonSet{}} {
		watches = append(watches, source.Kind(workloads, kind, namespaces))
	}
	return m.controller("secretrotation", r, watches, m.filled, log)
}
