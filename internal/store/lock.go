package store

import (
	"context"
	"fmt"
	"time"

	"github.com/gofrs/flock"
)

// lockPause is how long an engine waits before it looks again.
const lockPause = 20 * time.Millisecond

// alone waits until no other engine makes or changes the tables of the file, at
// most until ctx ends. SQLite has no lock for it: none of its own lasts longer
// than a transaction, and the first connection of all is made without one.
// PostgreSQL has (see migrate).
func (p place) alone(ctx context.Context) (release func(), err error) {
	if p.postgres {
		return func() {}, nil
	}
	file := flock.New(p.url+".lock", flock.SetPermissions(0o600))
	if _, err := file.TryLockContext(ctx, lockPause); err != nil {
		return nil, fmt.Errorf("cannot lock %s: %w", file.Path(), err)
	}
	return func() { _ = file.Unlock() }, nil // nothing to do about it: the end of the process unlocks
}
