package render

import (
	"context"
	"errors"
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
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
}

// holds tells whether rendering again would give the same.
func (e *entry) holds(ctx context.Context, from Snapshots, key [32]byte, in Input) bool {
	if e.key != key || key == ([32]byte{}) || len(e.logs) != len(in.Snapshots) || !e.facts.Holds(in.Facts) {
		return false
	}
	for i, log := range e.logs {
		if !log.Holds(in.Snapshots[i]) {
			return false
		}
	}
	for _, remote := range e.remotes {
		if !remote.holds(ctx, from) {
			return false
		}
	}
	return true
}

// lasting tells whether the outcome may be kept: errors are when they come
// from what was read alone.
func (e *entry) lasting() bool {
	if e.err == nil {
		return true
	}
	var p *gitops.Problem
	return errors.As(e.err, &p) && (p.Kind == gitops.Invalid || p.Kind == gitops.NotFound)
}

// moved is the entry at the revisions of an input in which it holds. What
// it shares with the old one is immutable.
func (e *entry) moved(in Input) *entry {
	revisions := in.revisions()
	if slices.Equal(revisions, e.revisions) {
		return e
	}
	out := *e
	out.revisions = revisions
	out.logs = make([]*record.Log, len(e.logs))
	for i, log := range e.logs {
		out.logs[i] = log.At(in.Snapshots[i])
	}
	out.origins = slices.Clone(e.origins)
	for i := range out.origins {
		out.origins[i] = e.moveOrigin(out.origins[i], revisions)
	}
	out.manifests = slices.Clone(e.manifests)
	for i := range out.manifests {
		out.manifests[i].Origin = out.origins[i]
	}
	out.warnings = slices.Clone(e.warnings)
	for i := range out.warnings {
		out.warnings[i].Origin = e.moveOrigin(out.warnings[i].Origin, revisions)
	}
	out.err = e.moveErr(revisions)
	return &out
}

func (e *entry) moveOrigin(o gitops.Origin, revisions []string) gitops.Origin {
	if i := slices.Index(e.revisions, o.Revision); i >= 0 {
		if o.Source < len(revisions) && e.revisions[o.Source] == o.Revision {
			i = o.Source
		}
		o.Revision = revisions[i]
	}
	return o
}

func (e *entry) moveErr(revisions []string) error {
	var p *gitops.Problem
	if e.err == nil || !errors.As(e.err, &p) {
		return e.err
	}
	moved := *p
	moved.Where = e.moveOrigin(p.Where, revisions)
	return &moved
}

// rendering is the entry as the stage's result.
func (e *entry) rendering(in Input, reused bool) (*gitops.Rendering, error) {
	if e.err != nil {
		return nil, e.err
	}
	return &gitops.Rendering{
		Manifests: e.manifests,
		Digest:    e.digest,
		Types:     e.types,
		Revisions: in.revisions(),
		Reused:    reused,
		Remotes:   e.refs(),
		Warnings:  e.warnings,
	}, nil
}
