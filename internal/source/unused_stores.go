package source

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/source/git"
)

// mostUnread is how many folders stay on the disk of repositories that nobody
// asks for any more: whoever writes addresses can make up as many as they like,
// and each is a folder with files of its own.
const mostUnread = 2000

// used are the folders of the repositories that somebody asks for. The caller
// holds mu.
func (r *Registry) used() map[string]bool {
	used := map[string]bool{}
	for _, p := range r.repos {
		used[p.origin.folder] = true
	}
	for dir := range r.folders {
		used[r.storeOf(dir)] = true
	}
	return used
}

// retire lets go of the stores that no repository has used for as long as a
// snapshot may be held of it. What they have on the disk stays.
func (r *Registry) retire() {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	used := r.used()
	for dir, s := range r.stores {
		since, idle := r.idle[dir]
		switch {
		case used[dir]:
			delete(r.idle, dir)
		case !idle:
			r.idle[dir] = now
		case now.Sub(since) > keepUnused:
			delete(r.idle, dir)
			delete(r.stores, dir)
			s.Retire()
		}
	}
}

// tidy removes folders that are long out of use, as dropOutworn does at the
// start, and the oldest of those that are too many. By the first time, whatever
// is in use was asked for since the start.
func (r *Registry) tidy() {
	now := r.now()
	r.mu.Lock()
	due := now.Sub(r.tidied) > keepUnused
	if due {
		r.tidied = now
	}
	r.mu.Unlock()
	if !due {
		return
	}
	all := r.unread()
	for i, f := range all {
		// The times of files are the file system's, and not those of a Clock.
		if len(all)-i > mostUnread || time.Since(f.at) > outworn {
			r.discard(f.path)
		}
	}
}

// stored is a folder in the cache, and when it was used last.
type stored struct {
	path string
	at   time.Time
}

// unread are the folders that no repository uses, the oldest first.
func (r *Registry) unread() []stored {
	var all []stored
	for _, pattern := range storedFolders {
		each(r.dir, pattern, func(path string, info fs.FileInfo) {
			if info.IsDir() {
				all = append(all, stored{path, info.ModTime()})
			}
		})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	used := r.used()
	all = slices.DeleteFunc(all, func(f stored) bool { return r.holds(used, f.path) })
	slices.SortFunc(all, func(a, b stored) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.path, b.path)) })
	return all
}

// holds reports whether a folder is in use, or is beside one for it. The caller
// holds mu.
func (r *Registry) holds(used map[string]bool, path string) bool {
	path = strings.TrimSuffix(path, git.OriginSuffix)
	return used[path] || r.stores[path] != nil
}

// discard removes a folder, unless it is in use by now. Who asks for its
// repository meanwhile finds nothing, and fetches anew.
func (r *Registry) discard(path string) {
	away, err := os.MkdirTemp(r.dir, droppedName)
	if err != nil {
		return // as all that cannot be removed: it is tried again
	}
	r.mu.Lock()
	if !r.holds(r.used(), path) {
		_ = os.Rename(path, filepath.Join(away, "folder"))
	}
	r.mu.Unlock()
	_ = os.RemoveAll(away)
}
