package source

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/git"
	"github.com/causeway-gitops/causeway/internal/source/mirror"
	"github.com/causeway-gitops/causeway/internal/source/web"
)

// want is what is asked of a repository.
type want struct {
	chart, revision string
	// passing lets other hosts of the chart have the credential.
	passing bool
	// rule is what the project of who asks permits on the host of the chart's
	// repository; nil where nobody had to know.
	rule web.Rule
}

// view is what one look-up found. Views are compared with ==: the same view
// means that nothing has moved.
type view interface {
	snapshot(ctx context.Context, w want, by account) (*gitops.Snapshot, error)
}

// origin is where a repository's content comes from.
type origin struct {
	// look asks for everything that moves: references, an index, tags. It is on
	// the account of those who need it.
	look func(context.Context, account) (view, error)
	// watched lists local folders whose changes are worth a look; it is nil
	// for a remote origin.
	watched func() []string
	// folder is where in the cache its content is; empty where it has none of its own.
	folder string
}

func (o origin) local() bool { return o.watched != nil }

// stale is implemented by views that can lose what they stand for.
type stale interface{ Stale() bool }

func isStale(v view) bool {
	s, ok := v.(stale)
	return ok && s.Stale()
}

type gitView struct{ *git.View }

func (v gitView) snapshot(ctx context.Context, w want, by account) (*gitops.Snapshot, error) {
	return by.by(v.View).Snapshot(ctx, w.revision)
}

func gitOrigin(r *git.Remote, local bool) origin {
	o := origin{look: func(ctx context.Context, by account) (view, error) {
		v, err := r.LookBy(ctx, git.Turns{Ask: by.turn, Large: by.large})
		var moved *git.Moved
		if errors.As(err, &moved) {
			return movedView(moved.To), nil
		}
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

type folderView struct {
	*mirror.View
	// named is told of each revision that is asked for by a name.
	named func(revision string)
}

func (v folderView) snapshot(ctx context.Context, w want, _ account) (*gitops.Snapshot, error) {
	if w.revision != "" && w.revision != "HEAD" && !git.IsHash(w.revision) {
		v.named(w.revision)
	}
	return v.Snapshot(ctx, w.revision)
}

// folderOrigin serves a folder that is no Git repository: it has one
// content, whatever revision is asked for, which is told once.
func folderOrigin(f *mirror.Folder, dir string, log *slog.Logger) origin {
	var once sync.Once
	named := func(revision string) {
		once.Do(func() {
			log.Warn("mirror folder is no Git repository: each branch, tag and range gives its content of now", "folder", dir, "revision", revision)
		})
	}
	seen := folderViews{named: named}
	return origin{watched: f.Watched, look: func(ctx context.Context, _ account) (view, error) {
		v, err := f.Look(ctx)
		if err != nil {
			return nil, err
		}
		return seen.of(v), nil
	}}
}

// folderViews gives the same view for the same content, see view.
type folderViews struct {
	named func(string)

	mu   sync.Mutex
	last *folderView
}

func (s *folderViews) of(v *mirror.View) *folderView {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || s.last.View != v {
		s.last = &folderView{v, s.named}
	}
	return s.last
}
