package secretfleet

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/causeway-gitops/causeway/internal/crew"
)

// extra is a controller that runs where a cluster lets it: where others defined External
// Secrets' kinds, one may be lacking, and a credential may have fewer rights. The Secrets
// of ExternalSecrets are made all the same.
type extra struct {
	// without is what does not happen where it cannot run.
	without string
	// lists are the kinds that it cannot be without.
	lists []schema.GroupVersionKind
	// transform is what its own cache keeps of objects; all of them when nil.
	transform  toolscache.TransformFunc
	controller func(Member, cluster.Cluster, parts, logr.Logger) (controller.Controller, error)
}

// extras are those of each cluster.
var extras = []extra{restarts, clusterwide, pushes}

// beside runs an extra until the context ends, as soon as it can be.
func (m Member) beside(ctx context.Context, e extra, c cluster.Cluster, p parts, log logr.Logger) {
	const pause = time.Minute
	// What is not permitted may be meant so; caches that do not fill are not.
	for said := map[slog.Level]bool{}; ; {
		level, err := slog.LevelInfo, e.mayList(ctx, c.GetAPIReader())
		if err == nil {
			level, err = slog.LevelWarn, m.once(ctx, e, c, p, log)
		}
		if err == nil || ctx.Err() != nil {
			return
		}
		if !said[level] {
			said[level] = true
			m.Log.Log(ctx, level, e.without, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(cmp.Or(m.pause, pause)):
		}
	}
}

// once runs an extra until the context ends, or caches were waited for in vain. Each time
// has a controller and a cache of its own: no controller can be started twice, and a cache
// that does not fill holds up all who wait for another kind of it.
func (m Member) once(ctx context.Context, e extra, c cluster.Cluster, p parts, log logr.Logger) (err error) {
	p.own, err = cache.New(m.Config, cache.Options{Scheme: c.GetScheme(), Mapper: c.GetRESTMapper(), HTTPClient: c.GetHTTPClient(), DefaultTransform: e.transform})
	if err != nil {
		return fmt.Errorf("cannot connect: %w", err)
	}
	run, err := e.controller(m, c, p, log)
	if err != nil {
		return err
	}
	g, ctx := crew.WithContext(ctx)
	ctx, end := context.WithCancel(ctx)
	g.Go(func() error { return p.own.Start(ctx) })
	g.Go(func() error {
		defer end() // its sources, its queue and its cache
		return run.Start(ctx)
	})
	return g.Wait()
}

// mayList is an error where what an extra goes by cannot be listed: a cache would wait
// for it without end.
func (e extra) mayList(ctx context.Context, live client.Reader) error {
	for _, kind := range e.lists {
		var some metav1.PartialObjectMetadataList
		some.SetGroupVersionKind(kind)
		if err := live.List(ctx, &some, client.Limit(1)); err != nil {
			return fmt.Errorf("cannot list each %s of the cluster: %w", kind.Kind, err)
		}
	}
	return nil
}
