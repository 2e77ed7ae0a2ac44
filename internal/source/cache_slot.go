package source

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// parts is how many processes can share a cache folder; each has a part of
// its own, because a bare store has one writer.
const parts = 16

// takeSlot returns a part of the cache folder that no other process uses,
// the same one as last time where possible, and the lock that keeps it.
func takeSlot(dir string) (string, *os.File, error) {
	for i := range parts {
		slot := filepath.Join(dir, fmt.Sprintf("sources-%d", i))
		if err := makeFolder(slot); err != nil {
			return "", nil, fmt.Errorf("cannot write into the cache folder: %w; free disk space, or point --cache-dir at a folder that can be written", err)
		}
		lock, err := os.OpenFile(filepath.Join(slot, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return "", nil, fmt.Errorf("cannot write into the cache folder: %w", err)
		}
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return slot, lock, nil
		}
		_ = lock.Close() // nothing was written
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return "", nil, fmt.Errorf("cannot lock the cache folder %s: %w", dir, err)
		}
	}
	return "", nil, fmt.Errorf("cannot use the cache folder %s: %d processes use it already; set another --cache-dir", dir, parts)
}
