package render

import (
	"context"
	"time"

	"github.com/causeway-gitops/causeway/internal/slots"
)

// SetRemotePatience changes how long a kept rendering waits for remotes.
func SetRemotePatience(d time.Duration) (restore func()) {
	before := remotePatience
	remotePatience = d
	return func() { remotePatience = before }
}

// HiddenOf are the decrypted values that are kept with an application's rendering.
func (r *Renderer) HiddenOf(id string) (hidden []string, kept bool) {
	e := r.kept.look(id)
	if e == nil {
		return nil, false
	}
	return e.hidden, true
}

// Parallel is how many renders run at a time.
var Parallel = parallel

// Occupy takes a slot for a project, and never gives it back.
func (r *Renderer) Occupy(ctx context.Context, project string) error {
	_, err := r.slots.Take(ctx, slots.Of(project))
	return err
}
