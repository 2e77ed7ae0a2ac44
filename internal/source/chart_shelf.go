package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/archive"
	"github.com/causeway-gitops/causeway/internal/source/chart"
)

// shelfView serves charts out of a local folder's newest content.
type shelfView struct {
	registry *Registry
	folder   view
	local    local
	parent   bool // the folder is the one that the named chart lies in
}

func (v shelfView) Stale() bool { return isStale(v.folder) }

// openShelf serves a chart mirror. An OCI name ends with the chart's name:
// its folder may be the chart, hold its versions, or be missing while
// archives of that name lie in the folder above.
func (r *Registry) openShelf(l local) origin {
	dir, parent := l.path, false
	if l.only != "" {
		dir, parent = shelfOf(l)
	}
	folder := r.openFolder(dir, l.mirror.WorkTree)
	look := folder.look
	folder.look = func(ctx context.Context, by account) (view, error) {
		v, err := look(ctx, by)
		if err != nil {
			return nil, err
		}
		return shelfView{r, v, l, parent}, nil
	}
	return folder
}

func shelfOf(l local) (dir string, parent bool) {
	if info, err := os.Stat(l.path); err == nil && info.IsDir() {
		return l.path, false
	}
	if l.path == l.mirror.Path {
		return l.path, false
	}
	return filepath.Dir(l.path), true
}

func (v shelfView) snapshot(ctx context.Context, w want, by account) (*gitops.Snapshot, error) {
	all, err := v.folder.snapshot(ctx, want{}, by)
	if err != nil {
		return nil, err
	}
	name := w.chart
	if v.local.only != "" {
		name = v.local.only
	}
	if v.local.artifact && !v.parent && !v.holdsChart(all.Tree) {
		return &gitops.Snapshot{Revision: "sha256:" + hash(all.Revision), Tree: all.Tree}, nil
	}
	item, err := chart.NewShelf(all.Tree).Find(name, w.revision)
	if err != nil {
		return nil, v.placed(err)
	}
	tree, err := v.open(ctx, all.Tree, item, by)
	if err != nil {
		return nil, v.placed(err)
	}
	return &gitops.Snapshot{Revision: item.Version, Tree: tree}, nil
}

// holdsChart tells a chart's folder from that of any other artifact.
func (v shelfView) holdsChart(tree gitops.Tree) bool {
	_, err := chart.NewShelf(tree).Find(v.local.only, ">=0.0.0-0")
	return err == nil
}

func (v shelfView) placed(err error) error {
	var p *gitops.Problem
	if !errors.As(err, &p) {
		return err
	}
	q := *p
	q.What += " (mirror " + v.local.path + ")"
	return &q
}

func (v shelfView) open(ctx context.Context, all gitops.Tree, item chart.Item, by account) (gitops.Tree, error) {
	switch {
	case !item.Archive && item.Path == ".":
		return all, nil
	case !item.Archive:
		return subtree{all, item.Path}, nil
	}
	sum, err := all.Digest(item.Path)
	if err != nil {
		return nil, err
	}
	return v.registry.room.Tree(ctx, archive.Packed{
		Key: "archive" + v.local.path + "\x00" + sum, Unpack: archive.UnpackChart, Limits: v.registry.archiveLimits(), By: by.projects,
		Open: func() (io.ReadSeekCloser, error) {
			data, err := fs.ReadFile(all, item.Path)
			return inMemory{bytes.NewReader(data)}, err
		},
	})
}

// inMemory is a file that was read.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }
