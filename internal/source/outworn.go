package source

import (
	"os"
	"path/filepath"
	"time"
)

// outworn is how long the stored content of a repository is kept that no
// process opens any more.
const outworn = 90 * 24 * time.Hour

// dropOutworn removes what is stored of repositories that are long out of
// use; each use of one touches its folder. It is called before anything is read, when nobody holds a tree.
// What cannot be removed is tried again at the next start.
func dropOutworn(slot string, now time.Time) {
	for _, kind := range []string{"git", "folders"} {
		entries, err := os.ReadDir(filepath.Join(slot, kind))
		if err != nil {
			continue // it is not there yet
		}
		for _, e := range entries {
			if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > outworn {
				_ = os.RemoveAll(filepath.Join(slot, kind, e.Name()))
			}
		}
	}
}
