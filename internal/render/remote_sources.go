package render

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
)

// remotes are what one render reads from elsewhere than its sources.
type remotes struct {
	ctx    context.Context //nolint:containedctx // reads of the trees end with the render
	from   Snapshots
	limits record.Limits
	// most is how many references one render may follow.
	most int
	// decrypt is nil where files are read as they are.
	decrypt record.Decrypter

	mu    sync.Mutex
	trees map[gitops.SourceRef]*record.Tree
	// found has the resolved revision of each tree, failed what could not be
	// had: within one render the answer stays the same.
	found  map[gitops.SourceRef]string
	failed map[gitops.SourceRef]error
	order  []gitops.SourceRef
}

func newRemotes(ctx context.Context, from Snapshots, l Limits) *remotes {
	return &remotes{
		ctx: ctx, from: from, limits: l.Read, most: l.Remotes,
		trees: map[gitops.SourceRef]*record.Tree{}, found: map[gitops.SourceRef]string{}, failed: map[gitops.SourceRef]error{},
	}
}

// Tree implements source.Remote.
func (r *remotes) Tree(ctx context.Context, ref gitops.SourceRef) (*record.Tree, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t, ok := r.trees[ref]; ok {
		return t, nil
	}
	if err, ok := r.failed[ref]; ok {
		return nil, err
	}
	if len(r.order) >= r.most {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read %s: the application reads from more than the limit of %d places besides its sources", ref.RepoURL, r.most).
			Do("copy what it needs into the repository, or split the application")
	}
	snap, err := r.from.Snapshot(ctx, ref)
	if ctx.Err() != nil && err != nil {
		return nil, err // an answer that says nothing of the reference
	}
	r.order = append(r.order, ref)
	if err != nil {
		r.failed[ref] = unfetched(ref, err)
		return nil, r.failed[ref]
	}
	t := record.Wrap(r.ctx, snap, r.limits).Decrypting(r.decrypt)
	r.trees[ref], r.found[ref] = t, snap.Revision
	return t, nil
}

// unfetched notes the reference in the causes of a Problem, on a copy: the
// error is shared by all who asked.
func unfetched(ref gitops.SourceRef, err error) error {
	var p *gitops.Problem
	if !errors.As(err, &p) {
		return err
	}
	out := *p
	out.Err = &gitops.FetchError{Ref: ref, Err: err}
	return &out
}

// remoteLog is what was read of one of them.
type remoteLog struct {
	ref gitops.SourceRef
	// revision is the resolved one; log is nil when the look-up failed.
	revision string
	log      *record.Log
}

func (r *remotes) entries() []remoteLog {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]remoteLog, 0, len(r.order))
	for _, ref := range r.order {
		l := remoteLog{ref: ref, revision: r.found[ref]}
		if t := r.trees[ref]; t != nil {
			l.log = t.Log(".")
		}
		out = append(out, l)
	}
	return out
}

// remotePatience is how long a kept rendering waits for what its remotes
// are now, all together; then what they gave last stays in place.
var remotePatience = 5 * time.Second

// held returns what the remotes of an entry are now, nil for one that does
// not answer, and whether what was read of all is still so. A reference
// that does not resolve now holds: what it gave last stays in place. One
// that did not resolve then holds until it does. One that may not be read any
// more does not hold: what it gave must not stay.
func (e *entry) held(ctx context.Context, from Snapshots) ([]*gitops.Snapshot, bool) {
	if len(e.remotes) == 0 {
		return nil, true
	}
	if from == nil {
		return nil, false
	}
	limited, cancel := context.WithTimeout(ctx, remotePatience)
	defer cancel()
	now := make([]*gitops.Snapshot, len(e.remotes))
	for i, l := range e.remotes {
		snap, err := from.Snapshot(limited, l.ref)
		switch {
		case err == nil && (l.log == nil || !l.log.Holds(snap)):
			return nil, false
		case err == nil:
			now[i] = snap
		case ctx.Err() != nil || gitops.IsProblem(err, gitops.NotMirrored):
			// Without the network the user is told what is missing, whatever an
			// earlier run had.
			return nil, false
		case l.log != nil && gitops.IsProblem(err, gitops.Forbidden):
			return nil, false
		}
	}
	return now, true
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
