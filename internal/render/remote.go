package render

import (
	"context"
	"slices"
	"sync"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
)

// remotes are what one render reads from elsewhere than its sources.
type remotes struct {
	ctx    context.Context //nolint:containedctx // reads of the trees end with the render
	from   Snapshots
	limits record.Limits
	// decrypt is nil where files are read as they are.
	decrypt record.Decrypter

	mu    sync.Mutex
	trees map[gitops.SourceRef]*record.Tree
	order []gitops.SourceRef
}

func newRemotes(ctx context.Context, from Snapshots, l record.Limits) *remotes {
	return &remotes{ctx: ctx, from: from, limits: l, trees: map[gitops.SourceRef]*record.Tree{}}
}

// Tree implements source.Remote.
func (r *remotes) Tree(ctx context.Context, ref gitops.SourceRef) (*record.Tree, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t, ok := r.trees[ref]; ok {
		return t, nil
	}
	snap, err := r.from.Snapshot(ctx, ref)
	if err != nil {
		return nil, err
	}
	t := record.Wrap(r.ctx, snap, r.limits).Decrypting(r.decrypt)
	r.trees[ref] = t
	r.order = append(r.order, ref)
	return t, nil
}

// remoteLog is what was read of one of them.
type remoteLog struct {
	ref gitops.SourceRef
	log *record.Log
}

func (r *remotes) entries() []remoteLog {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]remoteLog, 0, len(r.order))
	for _, ref := range r.order {
		out = append(out, remoteLog{ref, r.trees[ref].Log(".")})
	}
	return out
}

// holds tells whether what was read is still so. A reference that does not
// resolve now holds: what it gave last stays in place.
func (l remoteLog) holds(ctx context.Context, from Snapshots) bool {
	snap, err := from.Snapshot(ctx, l.ref)
	return err != nil || l.log.Holds(snap)
}

// refs are the references of the remotes, sorted.
func (e *entry) refs() []gitops.SourceRef {
	out := make([]gitops.SourceRef, 0, len(e.remotes))
	for _, r := range e.remotes {
		out = append(out, r.ref)
	}
	slices.SortFunc(out, func(a, b gitops.SourceRef) int {
		return slices.Compare([]string{a.RepoURL, a.Chart, a.Revision}, []string{b.RepoURL, b.Chart, b.Revision})
	})
	return out
}
