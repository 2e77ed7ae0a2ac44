package local

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"time"
)

// watchPause is how often the fleet's own files are looked at.
const watchPause = time.Second

// Follow writes the clusters' Secrets and the manifests to the hub again when
// their files change, until ctx ends. tell is given what became of it: an
// error of a file that cannot be used, or nil once all is well.
func (r *Running) Follow(ctx context.Context, tell func(error)) {
	seen := stamps(r.files())
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(watchPause):
		}
		now := stamps(r.files())
		if maps.Equal(seen, now) {
			continue
		}
		seen = now
		if err := r.again(ctx); ctx.Err() == nil {
			tell(err)
		}
	}
}

func (r *Running) again(ctx context.Context) error {
	if err := r.Register(ctx); err != nil {
		return err
	}
	return r.ApplyManifests(ctx)
}

// files are those that are read at the start, with the folders of them.
func (r *Running) files() []string {
	all := append([]string{}, r.Fleet.Apply...)
	for _, c := range r.Fleet.Clusters {
		if c.Secret != "" {
			all = append(all, c.Secret)
		}
	}
	return all
}

// stamps tell whether anything changed in files or below folders.
func stamps(paths []string) map[string]string {
	all := map[string]string{}
	for _, path := range paths {
		if to, err := filepath.EvalSymlinks(path); err == nil && to != path {
			all[path], path = to, to // what a link leads to is what is read
		}
		_ = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil //nolint:nilerr // what cannot be read has no stamp; using it tells why
			}
			if info, err := entry.Info(); err == nil {
				all[name] = fmt.Sprint(info.ModTime().UnixNano(), info.Size())
			}
			return nil
		})
	}
	return all
}
