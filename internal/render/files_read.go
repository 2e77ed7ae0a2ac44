package render

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Reads lists what the rendering of an input read: files, and folders (with
// a slash at the end) that count with their list or with all below them, of
// its sources and, with the source -1, of what it read elsewhere. Each is
// listed once, by source and name. The input is rendered when nothing that
// holds for it is kept.
func (r *Renderer) Reads(ctx context.Context, in Input) ([]gitops.Origin, error) {
	e, err := r.known(ctx, in)
	if err != nil {
		return nil, err
	}
	var out []gitops.Origin
	for i, log := range e.logs {
		out = append(out, places(in.Snapshots[i], i, log.Reads())...)
	}
	for _, l := range e.remotes {
		if l.log != nil {
			out = append(out, places(&gitops.Snapshot{Ref: l.ref, Revision: l.revision}, -1, l.log.Reads())...)
		}
	}
	return out, nil
}

// known is the kept entry for an input, which is rendered when there is none.
func (r *Renderer) known(ctx context.Context, in Input) (*entry, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	if e := r.outline(ctx, in); e != nil {
		return e, nil
	}
	_, err := r.Application(ctx, in)
	if e := r.outline(ctx, in); e != nil {
		return e, nil
	}
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("cannot tell what application %s read: its rendering is not kept", in.App.Name)
}

// Changed lists which of the files that the kept rendering of an input read
// have another answer in the snapshots of a second one: they are what made
// the application change, as far as files did; those read elsewhere have the
// source -1. A folder that counts as a whole is opened; a place without a file stands for the revision itself,
// which the source uses. The revisions are those of the second input. ok is
// false when no rendering of either input is kept, or when they are not of
// the same application.
func (r *Renderer) Changed(ctx context.Context, before, after Input) (changed []gitops.Origin, ok bool) {
	if before.check() != nil || after.check() != nil || len(before.Snapshots) != len(after.Snapshots) {
		return nil, false
	}
	from, to := before, after
	e := r.outline(ctx, from)
	if e == nil {
		// What the later rendering read tells nearly the same.
		from, to = after, before
		if e = r.outline(ctx, from); e == nil {
			return nil, false
		}
	}
	for i, log := range e.logs {
		changed = append(changed, places(after.Snapshots[i], i, log.Changed(from.Snapshots[i], to.Snapshots[i]))...)
	}
	return append(changed, r.changedElsewhere(ctx, e, from, to, after)...), true
}

// changedElsewhere is Changed for what was read besides the sources, as it is
// now on both sides: with the source -1. What a reference gave before may not
// be at hand any more; then the place stands for the revision.
func (r *Renderer) changedElsewhere(ctx context.Context, e *entry, from, to, after Input) (changed []gitops.Origin) {
	if from.from(r.remotes) == nil || to.from(r.remotes) == nil {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, remotePatience)
	defer cancel()
	for _, l := range e.remotes {
		was, errWas := from.from(r.remotes).Snapshot(limited, l.ref)
		is, errIs := to.from(r.remotes).Snapshot(limited, l.ref)
		if errIs != nil {
			continue // what it gave last stays in place
		}
		var names []string
		if l.log != nil && errWas == nil {
			names = l.log.Changed(was, is)
		}
		if len(names) == 0 && (l.log == nil || !l.log.Holds(is)) {
			names = []string{""}
		}
		later := is
		if latter, err := after.from(r.remotes).Snapshot(limited, l.ref); err == nil {
			later = latter
		}
		changed = append(changed, places(&gitops.Snapshot{Ref: l.ref, Revision: later.Revision}, -1, names)...)
	}
	return changed
}

// places are files of a snapshot as origins.
func places(s *gitops.Snapshot, i int, names []string) []gitops.Origin {
	out := make([]gitops.Origin, 0, len(names))
	for _, name := range names {
		out = append(out, gitops.Origin{Source: i, RepoURL: s.Ref.RepoURL, Revision: s.Revision, File: name})
	}
	slices.SortStableFunc(out, func(a, b gitops.Origin) int { return strings.Compare(a.File, b.File) })
	return out
}
