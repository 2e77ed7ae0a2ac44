package mirror

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/git"
)

// settle is how long a folder must keep still before it is read: editors
// and copies write in several steps.
const settle = 60 * time.Millisecond

// patience is how often a restless folder is looked at before it is tried
// again later.
const patience = 40

// errRestless says that the folder changed while it was read.
var errRestless = errors.New("the folder changes all the time")

// Folder is a local folder whose content is committed into a hidden store.
type Folder struct {
	path  string
	store *git.Store
	limit int

	mu      sync.Mutex
	seen    map[string]stamp // what the newest commit was made from
	folders []string
	last    *View
}

// NewFolder makes a Folder of at most limit files; the store is its own.
func NewFolder(path string, store *git.Store, limit int) *Folder {
	return &Folder{path: path, store: store, limit: limit}
}

// View is the folder's content at one moment.
type View struct {
	folder *Folder
	head   string
}

// Stale reports whether the hidden store is damaged and a new look is due.
func (v *View) Stale() bool { return v.folder.store.Damaged() }

// Look commits the folder when its content changed since the last look; if
// not it returns the same View.
func (f *Folder) Look(ctx context.Context) (*View, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	root, err := filepath.EvalSymlinks(f.path)
	if err != nil {
		root = f.path // scan tells better what is wrong
	}
	files, folders, err := scan(root, f.limit)
	if err != nil {
		return nil, err
	}
	if f.last != nil && !f.last.Stale() && maps.Equal(files, f.seen) {
		f.folders = folders // a new empty folder has to be watched, too
		return f.last, nil
	}
	if f.store.Damaged() {
		f.seen = nil
	}
	return f.settled(ctx, root, files, folders)
}

// settled commits the folder once it is still. A damaged store is made again
// once.
func (f *Folder) settled(ctx context.Context, root string, files map[string]stamp, folders []string) (*View, error) {
	healed, restless := false, error(nil)
	for attempt := range patience {
		var err error
		if attempt > 0 || f.seen != nil { // at the first look nobody has just saved a file
			files, folders, err = f.still(ctx, root, files, folders)
		}
		if err != nil {
			return nil, err
		}
		head, err := f.commit(ctx, root, files)
		if errors.Is(err, errRestless) {
			restless = err
			continue
		}
		if err != nil && f.store.Damaged() && !healed {
			f.seen, healed = nil, true
			continue
		}
		if err != nil {
			return nil, err
		}
		f.seen, f.folders = files, folders
		if f.last == nil || f.last.head != head || f.last.Stale() {
			f.last = &View{f, head}
		}
		return f.last, nil
	}
	return nil, gitops.Problemf(gitops.NotReady, "mirror folder %s: %w", f.path, restless).
		Do("move what changes out of the folder, or mirror a smaller folder")
}

// still waits until two scans in a row agree.
func (f *Folder) still(ctx context.Context, root string, files map[string]stamp, folders []string) (map[string]stamp, []string, error) {
	for range patience {
		timer := time.NewTimer(settle)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, nil, ctx.Err()
		case <-timer.C:
		}
		again, dirs, err := scan(root, f.limit)
		if err != nil {
			return nil, nil, err
		}
		if maps.Equal(files, again) {
			return again, dirs, nil
		}
		files, folders = again, dirs
	}
	return files, folders, nil
}

func (f *Folder) commit(ctx context.Context, root string, files map[string]stamp) (string, error) {
	if len(files) == 0 {
		return "", gitops.Problemf(gitops.NotFound, "mirror folder %s is empty", f.path).Do("put files into it or correct the mirror")
	}
	fill := func(w *git.Writer) error { return f.fill(w, root, files) }
	check := func() error {
		again, _, err := scan(root, f.limit)
		if err == nil && !maps.Equal(again, files) {
			err = fmt.Errorf("%w: %s", errRestless, differing(files, again))
		}
		return err
	}
	return f.store.Write(ctx, newest(files), "Content of "+f.path, fill, check)
}

// newest is when a file was changed last. A commit at that time has the same
// name in every cache folder, and tells people when the folder was edited.
func newest(files map[string]stamp) time.Time {
	var last int64
	for _, s := range files {
		last = max(last, s.changed)
	}
	return time.Unix(0, last)
}

// fill writes what differs from the commit before, or everything.
func (f *Folder) fill(w *git.Writer, root string, files map[string]stamp) error {
	if f.seen == nil {
		if err := w.Clear(); err != nil {
			return err
		}
	}
	for name := range f.seen {
		if _, ok := files[name]; ok {
			continue
		}
		if err := w.Delete(name); err != nil {
			return err
		}
	}
	opened, err := os.OpenRoot(root)
	if err != nil {
		return fmt.Errorf("cannot read mirror folder: %w", err)
	}
	defer func() { _ = opened.Close() }() // it was only read
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if f.seen != nil && f.seen[name] == files[name] {
			continue
		}
		if err := put(w, opened, name, files[name]); err != nil {
			return err
		}
	}
	return nil
}

// put writes one file. The root keeps a link that comes in its way meanwhile
// from leading elsewhere.
func put(w *git.Writer, root *os.Root, name string, s stamp) error {
	if s.link != "" {
		return w.Link(name, filepath.ToSlash(s.link))
	}
	file, err := root.Open(filepath.FromSlash(name))
	if os.IsNotExist(err) {
		return fmt.Errorf("%w: %s", errRestless, name)
	}
	if err != nil {
		return fmt.Errorf("cannot read mirror folder: %w", err)
	}
	defer file.Close()
	if err := w.File(name, s.mode&0o111 != 0, s.size, file); err != nil {
		return fmt.Errorf("%w: %s: %w", errRestless, name, err)
	}
	return nil
}

// Watched lists the folders whose changes matter, as of the last look.
func (f *Folder) Watched() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.folders == nil {
		return []string{f.path}
	}
	return append([]string{f.path}, f.folders...)
}

// Snapshot gives the folder's content under every branch, tag or range; only
// a full commit must be one that was made of the folder.
func (v *View) Snapshot(ctx context.Context, revision string) (*gitops.Snapshot, error) {
	hash := v.head
	if git.IsHash(revision) {
		if !v.folder.store.Has(ctx, revision) {
			return nil, gitops.Problemf(gitops.NotFound, "commit %s was never made of mirror folder %s", revision, v.folder.path).Do("set targetRevision to a branch, or leave it out")
		}
		hash = revision
	}
	return v.folder.store.Snapshot(hash, gitops.Origin{RepoURL: v.folder.path, Revision: hash})
}
