package source

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/git"
	"github.com/causeway-gitops/causeway/internal/source/mirror"
)

// want is what is asked of a repository.
type want struct {
	chart, revision string
}

// view is what one look-up found. Views are compared with ==: the same view
// means that nothing has moved.
type view interface {
	snapshot(ctx context.Context, w want) (*gitops.Snapshot, error)
}

// origin is where a repository's content comes from.
type origin struct {
	// look asks for everything that moves: references, an index, tags.
	look func(context.Context) (view, error)
	// watched lists local folders whose changes are worth a look; it is nil
	// for a remote origin.
	watched func() []string
}

func (o origin) local() bool { return o.watched != nil }

// stale is implemented by views that can lose what they stand for.
type stale interface{ Stale() bool }

func isStale(v view) bool {
	s, ok := v.(stale)
	return ok && s.Stale()
}

type gitView struct{ *git.View }

func (v gitView) snapshot(ctx context.Context, w want) (*gitops.Snapshot, error) {
	return v.Snapshot(ctx, w.revision)
}

func gitOrigin(r *git.Remote, local bool) origin {
	o := origin{look: func(ctx context.Context) (view, error) {
		v, err := r.Look(ctx)
		if err != nil {
			return nil, err
		}
		return gitView{v}, nil
	}}
	if local {
		o.watched = r.Watched
	}
	return o
}

type folderView struct{ *mirror.View }

func (v folderView) snapshot(ctx context.Context, w want) (*gitops.Snapshot, error) {
	return v.Snapshot(ctx, w.revision)
}

func folderOrigin(f *mirror.Folder) origin {
	return origin{watched: f.Watched, look: func(ctx context.Context) (view, error) {
		v, err := f.Look(ctx)
		if err != nil {
			return nil, err
		}
		return folderView{v}, nil
	}}
}
