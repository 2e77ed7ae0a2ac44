package render

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// entry is one rendering with everything that it depends on. It does not
// change once it is in the cache, but for the fields that the cache guards.
type entry struct {
	key   [32]byte
	logs  []*record.Log
	facts record.FactsLog
	// remotes were read besides the sources.
	remotes []remoteLog
	// secret tells that the manifests hold what is encrypted in Git, or what
	// a plugin got from elsewhere: they never go to the disk.
	secret bool
	// sealed tells that files were read encrypted for lack of a key, which
	// another process may have.
	sealed bool
	// hidden are the decrypted values that were read.
	hidden []string
	// expires is when the entry holds no longer, whatever its record says;
	// never when zero.
	expires time.Time

	digest    string
	types     []gitops.SourceType
	revisions []string
	warnings  []gitops.Warning
	err       error
	// bytes is the length of the objects as JSON.
	bytes int64
	// packed are the objects, one a line of JSON, compressed; origins where
	// each comes from.
	packed  []byte
	origins []gitops.Origin
	// manifests are the same once more, ready for use; nil in an entry that
	// was not used of late.
	manifests []gitops.Manifest
	// weight is what they take in memory, in bytes, or would take.
	weight int64
}

// fitting is the entry at an input's revisions, or nil when rendering again
// could give something else.
func (e *entry) fitting(ctx context.Context, from Snapshots, key [32]byte, in Input) *entry {
	if e.key != key || key == ([32]byte{}) || len(e.logs) != len(in.Snapshots) || !e.facts.Holds(in.Facts) {
		return nil
	}
	for i, log := range e.logs {
		if !log.Holds(in.Snapshots[i]) {
			return nil
		}
	}
	now, ok := e.held(ctx, from)
	if !ok {
		return nil
	}
	return e.moved(in, now)
}

// fresh reports whether the entry has not expired.
func (e *entry) fresh(now time.Time) bool { return e.expires.IsZero() || now.Before(e.expires) }

// lasting reports whether the outcome may be kept: errors are when they come
// from what was read alone.
func (e *entry) lasting() bool {
	if e.err == nil {
		return true
	}
	if errors.Is(e.err, source.ErrPassing) {
		return false
	}
	var p *gitops.Problem
	return errors.As(e.err, &p) && (p.Kind == gitops.Invalid || p.Kind == gitops.NotFound)
}

// moved is the entry at the revisions of an input and of remotes in which
// it holds. What it shares with the old one is immutable.
func (e *entry) moved(in Input, remotes []*gitops.Snapshot) *entry {
	m := e.move(in, remotes)
	if m == nil {
		return e
	}
	out := *e
	out.revisions = in.revisions()
	out.logs = make([]*record.Log, len(e.logs))
	for i, log := range e.logs {
		out.logs[i] = log.At(in.Snapshots[i])
	}
	out.remotes = slices.Clone(e.remotes)
	for i, snap := range remotes {
		if snap != nil {
			out.remotes[i].revision, out.remotes[i].log = snap.Revision, e.remotes[i].log.At(snap)
		}
	}
	out.origins = slices.Clone(e.origins)
	for i := range out.origins {
		out.origins[i] = m.origin(out.origins[i])
	}
	out.manifests = slices.Clone(e.manifests)
	for i := range out.manifests {
		out.manifests[i].Origin = out.origins[i]
	}
	out.warnings = slices.Clone(e.warnings)
	for i := range out.warnings {
		out.warnings[i].Origin = m.origin(out.warnings[i].Origin)
	}
	out.err = e.moveErr(m)
	return &out
}

// place is a revision of a repository.
type place struct{ repoURL, revision string }

// move tells what becomes of the revisions in origins.
type move struct {
	old, new []string
	// elsewhere are those of remotes.
	elsewhere map[place]string
}

// move returns nil when no revision differs.
func (e *entry) move(in Input, remotes []*gitops.Snapshot) *move {
	m := &move{old: e.revisions, new: in.revisions(), elsewhere: map[place]string{}}
	for i, snap := range remotes {
		if l := e.remotes[i]; snap != nil && snap.Revision != l.revision {
			m.elsewhere[place{l.ref.RepoURL, l.revision}] = snap.Revision
		}
	}
	if slices.Equal(m.old, m.new) && len(m.elsewhere) == 0 {
		return nil
	}
	return m
}

func (m *move) origin(o gitops.Origin) gitops.Origin {
	if to, ok := m.elsewhere[place{o.RepoURL, o.Revision}]; ok {
		o.Revision = to
		return o
	}
	if i := slices.Index(m.old, o.Revision); i >= 0 {
		if o.Source < len(m.new) && m.old[o.Source] == o.Revision {
			i = o.Source
		}
		o.Revision = m.new[i]
	}
	return o
}

func (e *entry) moveErr(m *move) error {
	var p *gitops.Problem
	if e.err == nil || !errors.As(e.err, &p) {
		return e.err
	}
	moved := *p
	moved.Where = m.origin(p.Where)
	return &moved
}

// rendering is the entry as the stage's result.
func (e *entry) rendering(in Input, reused bool) (*gitops.Rendering, error) {
	if e.err != nil {
		return nil, e.err
	}
	return &gitops.Rendering{
		Manifests: e.hiding(),
		Digest:    e.digest,
		Types:     e.types,
		Revisions: in.revisions(),
		Reused:    reused,
		Remotes:   e.refs(),
		Warnings:  e.warnings,
		Hidden:    e.hidden,
	}, nil
}

// hiding are the manifests, each with what was decrypted for them: who tells of
// one must not tell that. The entry's own are shared, and stay.
func (e *entry) hiding() []gitops.Manifest {
	if len(e.hidden) == 0 {
		return e.manifests
	}
	out := slices.Clone(e.manifests)
	for i := range out {
		out[i].Hidden = e.hidden
	}
	return out
}
