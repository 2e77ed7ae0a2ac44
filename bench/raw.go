package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
)

// limit is what the API server takes for the same objects from a client that
// does nothing but apply them.
type limit struct {
	wall     time.Duration
	plane    time.Duration // CPU of the control plane
	requests int
}

// limits are what the API server takes at least.
type limits struct {
	// raw is for the objects alone, and fair for all that an engine has to write.
	raw, fair limit
}

func measureLimits(ctx context.Context, apps int) (l limits, err error) {
	if l.raw, err = rawLimit(ctx, apps); err != nil {
		return l, err
	}
	l.fair, err = fairLimit(ctx, apps)
	return l, err
}

// rawInFlight is the number of requests that the plain client has under way.
const rawInFlight = 32

func rawLimit(ctx context.Context, apps int) (limit, error) {
	fmt.Fprintf(os.Stderr, "bench: raw limit with %d applications\n", apps)
	cluster, err := embedded.Start(ctx, embedded.Options{Name: "raw"})
	if err != nil {
		return limit{}, err
	}
	defer func() { _ = cluster.Stop() }()
	client, err := rawClient(cluster)
	if err != nil {
		return limit{}, err
	}
	before, err := cpuOf(cluster.PID())
	if err != nil {
		return limit{}, err
	}
	begin := time.Now()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(rawInFlight)
	for i := range apps {
		g.Go(func() error { return applyRaw(ctx, client, appName(i)) })
	}
	if err := g.Wait(); err != nil {
		return limit{}, err
	}
	wall := time.Since(begin)
	after, err := cpuOf(cluster.PID())
	return limit{wall: wall, plane: after - before, requests: apps * (objectsPerApp + 1)}, err
}

func rawClient(c *embedded.Cluster) (rest.Interface, error) {
	cfg, err := c.RESTConfig()
	if err != nil {
		return nil, err
	}
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	cfg.QPS = -1
	return rest.UnversionedRESTClientFor(cfg)
}

var paths = []string{"/api/v1/namespaces/%s/configmaps/settings", "/api/v1/namespaces/%s/services/web", "/api/v1/namespaces/%s/serviceaccounts/web", "/apis/apps/v1/namespaces/%s/deployments/web"}

func applyRaw(ctx context.Context, client rest.Interface, app string) error {
	namespace := fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", app)
	if err := patch(ctx, client, "/api/v1/namespaces/"+app, namespace); err != nil {
		return err
	}
	for i, doc := range documents(manifests(app, 1)) {
		if err := patch(ctx, client, fmt.Sprintf(paths[i], app), doc); err != nil {
			return err
		}
	}
	return nil
}

func patch(ctx context.Context, client rest.Interface, path, manifest string) error {
	body, err := yaml.YAMLToJSON([]byte(manifest))
	if err != nil {
		return err
	}
	return client.Patch(types.ApplyPatchType).AbsPath(path).Param("fieldManager", "raw").Param("force", "true").Body(body).Do(ctx).Error()
}
