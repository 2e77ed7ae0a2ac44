package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
)

// plain is a client that does for a fleet what any engine has to ask of the API server,
// and nothing else.
type plain struct {
	apps   int
	client client.WithWatch
	raw    rest.Interface
}

// fairLimit is what a control plane takes for applications from a client that creates
// each, applies its objects, and writes its status once its Deployment is rolled out.
func fairLimit(ctx context.Context, apps int) (limit, error) {
	fmt.Fprintf(os.Stderr, "bench: fair limit with %d applications\n", apps)
	cluster, err := embedded.Start(ctx, embedded.Options{Name: "fair"})
	if err != nil {
		return limit{}, err
	}
	defer func() { _ = cluster.Stop() }()
	p := &plain{apps: apps}
	if p.raw, err = rawClient(cluster); err != nil {
		return limit{}, err
	}
	if p.client, err = hubClient(ctx, cluster); err != nil {
		return limit{}, err
	}
	before, err := cpuOf(cluster.PID())
	if err != nil {
		return limit{}, err
	}
	begin := time.Now()
	if err := p.sync(ctx); err != nil {
		return limit{}, err
	}
	wall := time.Since(begin)
	after, err := cpuOf(cluster.PID())
	return limit{wall: wall, plane: after - before, requests: apps * (objectsPerApp + 3)}, err
}

// sync writes all, and a status as soon as an application is ready.
func (p *plain) sync(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	both, ctx := errgroup.WithContext(ctx)
	events, err := p.client.Watch(ctx, &appsv1.DeploymentList{}) // it ends with the first error
	if err != nil {
		return err
	}
	defer events.Stop()
	both.Go(func() error { return p.write(ctx) })
	both.Go(func() error { return p.tell(ctx, events) })
	return both.Wait()
}

func (p *plain) write(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(rawInFlight)
	for i := range p.apps {
		g.Go(func() error {
			if err := p.client.Create(ctx, application(i)); err != nil {
				return err
			}
			return applyRaw(ctx, p.raw, appName(i))
		})
	}
	return g.Wait()
}

// tell writes the status of each application whose Deployment is rolled out, until all
// have one.
func (p *plain) tell(ctx context.Context, events watch.Interface) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(rawInFlight)
	ready := map[string]bool{}
	for event := range events.ResultChan() {
		d, ok := event.Object.(*appsv1.Deployment)
		if !ok || ready[d.Namespace] || d.Status.ObservedGeneration < d.Generation {
			continue
		}
		ready[d.Namespace] = true
		g.Go(func() error {
			status, err := goodStatus(d.Namespace)
			if err != nil {
				return err
			}
			app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: d.Namespace}}
			return p.client.Patch(ctx, app, client.RawPatch(types.MergePatchType, status))
		})
		if len(ready) == p.apps {
			return g.Wait()
		}
	}
	return errors.Join(g.Wait(), fmt.Errorf("%d of %d applications are rolled out, and the watch has ended", len(ready), p.apps))
}
