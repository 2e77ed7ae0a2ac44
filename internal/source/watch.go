package source

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watcher turns the system's events about local folders into polls.
type watcher struct {
	registry *Registry
	events   *fsnotify.Watcher

	mu sync.Mutex
	// byDir has the repositories that a folder is watched for: true where all that happens in it matters, false where it
	// only holds a link that may be turned.
	byDir  map[string]map[*repo]bool
	byRepo map[*repo]map[string]bool
}

// newWatcher returns nil where the system has no events left to give;
// folders are then looked at every LocalInterval.
func (r *Registry) newWatcher() *watcher {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		r.opts.Log.Warn("cannot watch local folders; they are looked at in short intervals instead", "error", err)
		return nil
	}
	return &watcher{registry: r, events: events, byDir: map[string]map[*repo]bool{}, byRepo: map[*repo]map[string]bool{}}
}

func (w *watcher) run(ctx context.Context) error {
	defer func() {
		w.registry.watcher.Store(nil)
		_ = w.events.Close() // nothing is lost with it
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-w.events.Events:
			if !ok {
				return nil
			}
			w.call(w.within(filepath.Dir(e.Name)))
			w.call(w.at(e.Name)) // a watched folder itself was moved or deleted, or the link to it turned
		case _, ok := <-w.events.Errors:
			if !ok {
				return nil
			}
			w.touchedAll() // events were lost
		}
	}
}

// within lists whose content a folder holds.
func (w *watcher) within(dir string) []*repo {
	w.mu.Lock()
	defer w.mu.Unlock()
	var repos []*repo
	for p, content := range w.byDir[dir] {
		if content {
			repos = append(repos, p)
		}
	}
	return repos
}

// at lists who watches a folder.
func (w *watcher) at(dir string) []*repo {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.byDir[dir]))
}

func (w *watcher) touchedAll() {
	w.mu.Lock()
	var repos []*repo
	for p := range w.byRepo {
		repos = append(repos, p)
	}
	w.mu.Unlock()
	w.call(repos)
}

func (w *watcher) call(repos []*repo) {
	for _, p := range repos {
		p.mu.Lock()
		p.lookFrom(time.Time{})
		p.mu.Unlock()
		w.registry.wake(p)
	}
}

// set makes a repository's folders the watched ones. It reports whether all
// of them could be; folders that are new may have changed unseen.
func (w *watcher) set(p *repo, dirs []string) (all, added bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	old, now := w.byRepo[p], withLinks(dirs)
	all = true
	for d, content := range now {
		if was, ok := old[d]; ok && was == content {
			continue
		}
		if len(w.byDir[d]) == 0 {
			if err := w.events.Add(d); err != nil {
				all = false
				delete(now, d)
				continue
			}
		}
		if w.byDir[d] == nil {
			w.byDir[d] = map[*repo]bool{}
		}
		w.byDir[d][p] = content
		added = true
	}
	for d := range old {
		if _, ok := now[d]; !ok {
			w.drop(p, d)
		}
	}
	w.byRepo[p] = now
	if len(now) == 0 {
		delete(w.byRepo, p)
	}
	return all, added
}

// withLinks are the folders, and those that hold the links among them: a link is turned by replacing it, of which the
// folder that it led to knows nothing.
func withLinks(dirs []string) map[string]bool {
	out := make(map[string]bool, len(dirs))
	for _, d := range dirs {
		out[d] = true
	}
	for _, d := range dirs {
		info, err := os.Lstat(d)
		if err != nil || info.Mode().Type() != os.ModeSymlink {
			continue
		}
		if holder := filepath.Dir(d); !out[holder] {
			out[holder] = false
		}
	}
	return out
}

func (w *watcher) drop(p *repo, dir string) {
	delete(w.byDir[dir], p)
	if len(w.byDir[dir]) == 0 {
		delete(w.byDir, dir)
		_ = w.events.Remove(dir) // it may be gone already, and its watch with it
	}
}

// watch brings the watched folders up to date after a look.
func (p *repo) watch() {
	w := p.registry.watcher.Load()
	if !p.origin.local() {
		return
	}
	all, added := false, false
	if w != nil {
		dirs := p.origin.watched()
		all, added = w.set(p, dirs)
		all = all && len(dirs) > 0
	}
	p.mu.Lock()
	p.blind = !all
	if added {
		p.lookFrom(time.Time{})
	}
	p.mu.Unlock()
}

func (p *repo) unwatch() {
	if w := p.registry.watcher.Load(); w != nil && p.origin.local() {
		w.set(p, nil)
	}
}
