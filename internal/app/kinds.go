package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
)

// ownKind is one of the product's own, which the engine does without where the
// hub does not serve it, or does not let the engine list it.
type ownKind struct {
	schema.GroupVersionKind

	resource string
	register func() error
}

func (e *Engine) ownKinds() []ownKind {
	return []ownKind{
		{causeway.ClusterMetadataGVK, "clustermetadata", e.clusterMetadata},
		{causeway.MetadataSchemaGVK, "metadataschemas", e.metadataSchemas},
		{causeway.ClusterSourceGVK, "clustersources", e.clusterSources},
		{causeway.ClusterGVK, "clusters", e.declaredClusters},
	}
}

// takeUp registers the controllers of the kinds that can be had, and keeps the
// others for later.
func (e *Engine) takeUp(ctx context.Context) error {
	var lacking []ownKind
	var errs []error
	for _, k := range e.lacking {
		ok, err := e.has(ctx, k)
		if !ok {
			lacking, errs = append(lacking, k), append(errs, err)
			continue
		}
		if err := k.register(); err != nil { // a second try would register a part of it twice
			errs = append(errs, fmt.Errorf("cannot register the controller of %s: %w", k.Kind, err))
		}
	}
	e.lacking = lacking
	return errors.Join(errs...)
}

// lackPause is how often it is usually looked for kinds that are lacking: a
// right to list them comes without an event.
const lackPause = 30 * time.Second

// takeUpLater registers the controllers of kinds that are served, or may be
// listed, after the start.
func (e *Engine) takeUpLater(ctx context.Context) error {
	for _, k := range e.lacking {
		e.cfg.Log.InfoContext(ctx, "kind left alone until the hub serves it, and lets the engine list it", "kind", k.Kind)
	}
	changed := make(chan struct{}, 1)
	e.served.add(func(server string) {
		if !gitops.IsHub(server) {
			return
		}
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	tick := time.NewTicker(cmp.Or(e.cfg.Pauses.Lacking, lackPause))
	defer tick.Stop()
	for len(e.lacking) > 0 {
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case <-tick.C:
		}
		if err := e.takeUp(ctx); err != nil && ctx.Err() == nil {
			e.cfg.Log.WarnContext(ctx, "cannot take up kinds that came after the start", "error", err)
		}
	}
	return nil
}

// has reports whether the hub serves a kind, and whether the engine may list it.
func (e *Engine) has(ctx context.Context, k ownKind) (bool, error) {
	set, err := kubernetes.NewForConfig(e.cfg.Hub)
	if err != nil {
		return false, fmt.Errorf("cannot reach the hub: %w", err)
	}
	return hub.Lists(ctx, e.manager.GetRESTMapper(), set.AuthorizationV1().SelfSubjectAccessReviews(), e.cfg.Namespace, k.GroupVersionKind, k.resource)
}
