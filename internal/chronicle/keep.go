package chronicle

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/store/audit"
	"github.com/causeway-gitops/causeway/internal/telemetry"
)

// Sync takes how far a sync has come.
func (c *Chronicle) Sync(s history.Sync) {
	if !s.Finished.IsZero() {
		c.counts.count(&s)
		for _, entry := range []*audit.Entry{askedAtTheHub(&s), pruned(&s)} {
			if entry != nil {
				c.Note(entry)
			}
		}
		telemetry.Sync(context.Background(), &s)
	}
	if c.Store != nil {
		c.Store.Sync(s)
	}
}

// Gone forgets an application in the metrics.
func (c *Chronicle) Gone(name types.NamespacedName) {
	if c.counts.ofApps != nil {
		c.counts.ofApps.forget(name)
	}
}

// Rendering takes the manifests of a sync.
func (c *Chronicle) Rendering(r *gitops.Rendering) {
	if c.Store != nil {
		c.Store.Rendering(r)
	}
}

// Health takes changes of health.
func (c *Chronicle) Health(app history.App, sync string, changes []history.Change) {
	if c.Store != nil {
		c.Store.Health(app, sync, changes)
	}
}

// Step takes how far commits have come.
func (c *Chronicle) Step(s history.Step) {
	if c.Store != nil {
		c.Store.Step(s)
	}
}

// Began reports whether an application has begun what was asked for.
func (c *Chronicle) Began(ctx context.Context, app history.App, request string, since time.Time) (bool, error) {
	if c.Store == nil {
		return false, nil
	}
	return c.Store.Began(ctx, app, request, since)
}

// Passed reports whether a sync of an application is over, or another one began later.
func (c *Chronicle) Passed(ctx context.Context, app history.App, sync string, began time.Time) (bool, error) {
	if c.Store == nil {
		return false, nil
	}
	return c.Store.Passed(ctx, app, sync, began)
}

// Kept finds a sync with its manifests.
func (c *Chronicle) Kept(ctx context.Context, sync string) (*history.Kept, error) {
	if c.Store == nil {
		return nil, gitops.Problemf(gitops.NotFound, "sync %s is not known: no history is kept", sync).Do("run the engine with --store")
	}
	return c.Store.Kept(ctx, sync)
}
