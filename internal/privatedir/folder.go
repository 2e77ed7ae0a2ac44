// Package privatedir is about folders that are to be this user's alone, such as those
// that keep state and caches. It makes them, and refuses those that somebody
// else could have put there. It does not look at what they hold.
package privatedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// othersWrite are the bits of a mode that let others write.
const othersWrite fs.FileMode = 0o022

// Folder makes a folder for this user alone, and refuses what is there already
// and is a link, another user's, or open for others to write to.
func Folder(path string) error {
	if err := Check(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("cannot make the folder %s: %w", path, err)
	}
	return Check(path)
}

// Check refuses a path that is no folder of this user, as Folder does. The
// error is fs.ErrNotExist where nothing is there.
func Check(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("cannot look at the folder %s: %w", path, err)
	}
	stat, known := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("cannot use the folder %s: it is a link; name the folder that it leads to, or remove it", path)
	case !info.IsDir():
		return fmt.Errorf("cannot use the folder %s: it is no folder; name another, or remove it", path)
	case known && int(stat.Uid) != os.Geteuid():
		return fmt.Errorf("cannot use the folder %s: it belongs to another user; name another", path)
	case info.Mode().Perm()&othersWrite != 0:
		return fmt.Errorf("cannot use the folder %s: other users can write to it; close it with: chmod go-w %s", path, path)
	}
	return nil
}

// IsLink reports whether a path is a link itself, wherever that leads.
func IsLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
