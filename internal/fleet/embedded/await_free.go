package embedded

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockName is the file in a data folder that a running control plane holds.
const lockName = "lock"

// A control plane whose parent was killed needs a moment to notice, and then as long as any to stop.
const (
	freeWithin = 30 * time.Second
	freePoll   = 50 * time.Millisecond
)

// AwaitFree waits until no control plane runs from a cluster's data folder.
func AwaitFree(ctx context.Context, name, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, freeWithin)
	defer cancel()
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	locked, err := lock.TryLockContext(ctx, freePoll)
	if locked {
		return lock.Unlock()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("cannot start cluster %s: another causeway-kube has been running from %s for more than %s; stop that one first", name, dir, freeWithin)
	}
	return err
}
