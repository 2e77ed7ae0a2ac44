package offline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/privatedir"
	"github.com/causeway-gitops/causeway/internal/source"
)

// checkCache refuses a cache folder that a checkout has anything to say about.
// What lies there is believed: kept renderings are not made again, and files
// are written where links lead. A job may have no other folder that outlives it
// than one inside of the checkout, which is well as long as no commit brings it.
func checkCache(ctx context.Context, dir string) error {
	full, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("cannot use the cache folder %s: %w", dir, err)
	}
	for at := full; at != filepath.Dir(at); at = filepath.Dir(at) {
		if !privatedir.IsLink(at) {
			continue
		}
		if err := untracked(ctx, full, at); err != nil {
			return err
		}
	}
	whole := bounded.Real(full)
	if source.Top(whole) == "" {
		return nil
	}
	return errors.Join(untracked(ctx, full, whole), withoutLinks(full, whole))
}

// untracked asks each repository that a path lies in: a commit can have a
// folder that looks like a bare repository.
func untracked(ctx context.Context, cache, path string) error {
	path = filepath.Join(bounded.Real(filepath.Dir(path)), filepath.Base(path))
	from := path
	if privatedir.IsLink(path) { // the repository that has the link is asked, not the one it leads to
		from = filepath.Dir(path)
	}
	for top := source.Top(from); top != ""; top = source.Top(filepath.Dir(top)) {
		rel, err := filepath.Rel(top, path)
		if err != nil {
			return fmt.Errorf("cannot use the cache folder %s: %w", cache, err)
		}
		name, err := trackedIn(ctx, top, filepath.ToSlash(rel))
		if err != nil {
			return fmt.Errorf("cannot tell whether Git tracks the cache folder %s: %w; name a folder outside of checkouts with --cache-dir", cache, err)
		}
		if name != "" {
			return fmt.Errorf("cannot use the cache folder %s: Git tracks %s in %s, so who wrote that commit would say what is rendered; "+
				"take it out of the commit, or name a folder outside of the checkout with --cache-dir", cache, name, top)
		}
		if top == filepath.Dir(top) {
			break
		}
	}
	return nil
}

func trackedIn(ctx context.Context, top, rel string) (_ string, err error) {
	scratch, err := os.MkdirTemp("", "causeway-cache-")
	if err != nil {
		return "", fmt.Errorf("cannot make a temporary folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	repo, err := source.OpenLocal(top, scratch)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	return repo.Tracked(ctx, rel)
}

// withoutLinks holds that a cache has none: the engine makes none there, and
// what was packed up by another job may bring some.
func withoutLinks(cache, dir string) error {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Type()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a link; remove it", path)
		}
		return nil
	})
	if err == nil || errors.Is(err, fs.ErrNotExist) { // another process may tidy up meanwhile
		return nil
	}
	return fmt.Errorf("cannot use the cache folder %s: %w", cache, err)
}
