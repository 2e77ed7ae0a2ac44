package connection

import (
	"context"
	"sync/atomic"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// walk is what Terraform has asked of resources so far. It tells a provider
// neither whether this is a plan nor what is planned. But it starts one for
// each walk through a configuration, and only a plan refreshes resources, be it
// the one that comes before a destroy.
type walk struct{ refreshed, applied atomic.Bool }

// OpenToRefresh is Open for a resource that is looked at.
func (c *Connection) OpenToRefresh(ctx context.Context) (*object.Client, error) {
	c.walk.refreshed.Store(true)
	return c.Open(ctx)
}

// OpenToApply is Open for a resource that is written or removed.
func (c *Connection) OpenToApply(ctx context.Context) (*object.Client, error) {
	c.walk.applied.Store(true)
	return c.Open(ctx)
}

// Planning reports whether nothing is being applied. It is false while nothing
// tells: before the first resource was refreshed, and where there is none.
func (c *Connection) Planning() bool { return c.walk.refreshed.Load() && !c.walk.applied.Load() }
