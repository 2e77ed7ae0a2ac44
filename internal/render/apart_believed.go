package render

import (
	"log/slog"
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/wire"
)

// A library that was taken over says what it likes by the mouth of its worker. What follows
// is what the engine believes of that: the objects, and which files it read. For whom and
// with which rights is read, where something lies, and how much of all that there is, the
// engine knows itself.

// mostReason bounds the reason of a warning, in bytes.
const mostReason = 128

// hiddenLeast is what a decrypted value counts for at least, of maxHidden.
const hiddenLeast = 64

// entry is what the worker rendered, packed.
func (t *told) entry(in Input, l Limits) (*entry, error) {
	if t.Packed < 0 || t.Packed > len(t.body) {
		return nil, errSaying
	}
	e, err := decode(t.body[:t.Packed], l)
	if err != nil {
		return nil, err
	}
	hidden := wire.NewReader(t.body[t.Packed:], 2*maxHidden) //nolint:mnd // they, and their list
	e.hidden = items(hidden, hidden.CountTo(maxHidden/hiddenLeast, perText), hidden.Text)
	if hidden.Err() != nil {
		return nil, hidden.Err()
	}
	e.err = t.host.Err(t.Failure)
	e.secret, e.sealed, e.expires = t.Secret, t.Sealed, t.Expires
	if e.err != nil {
		e.digest, e.packed, e.origins, e.bytes, e.weight = "", nil, nil, 0, 0
	}
	if !e.of(in) {
		return nil, errSaying
	}
	if e.remotes, err = t.remotes(e.remotes); err != nil {
		return nil, err
	}
	for i, o := range e.origins {
		e.origins[i] = t.host.Where(o)
	}
	for i, w := range e.warnings {
		e.warnings[i].Reason, e.warnings[i].Origin = gitops.First(w.Reason, mostReason), t.host.Where(w.Origin)
	}
	e.brief()
	return e, nil
}

// of reports whether an entry can be one of an input: of all its sources, at their
// revisions. One that broke before it read any is none of a kind that is used again.
func (e *entry) of(in Input) bool {
	if len(e.types) > len(in.Snapshots) || slices.ContainsFunc(e.types, unknown) {
		return false
	}
	if e.err != nil {
		return len(e.logs) == 0 || slices.Equal(e.revisions, in.revisions())
	}
	whole := len(e.types) == len(in.Snapshots) && slices.Equal(e.revisions, in.revisions())
	return whole && (len(e.origins) > 0 || e.digest == digestOf(nil))
}

func unknown(t gitops.SourceType) bool {
	switch t {
	case "", gitops.SourceHelm, gitops.SourceKustomize, gitops.SourceDirectory, gitops.SourcePlugin:
		return false
	}
	return true
}

// remotes are what was read elsewhere, by the references that the engine had for it. One
// that the worker did not ask for cannot be looked at again; one that it asked for and does
// not tell of holds until it is there. Nobody is asked for one that is too long.
func (t *told) remotes(said []remoteLog) ([]remoteLog, error) {
	out := make([]remoteLog, 0, len(said))
	seen := map[gitops.SourceRef]bool{}
	for _, l := range said {
		if l.log == nil && l.ref.Check() != nil {
			continue
		}
		own, given, ok := t.host.Own(l.ref)
		if !ok || (l.log == nil) != (given == nil) || given != nil && l.revision != given.Revision {
			return nil, errSaying
		}
		l.ref, seen[own] = own, true
		out = append(out, l)
	}
	for _, ref := range t.host.Asked() {
		if !seen[ref] {
			out = append(out, remoteLog{ref: ref})
		}
	}
	return out, nil
}

// values are what the worker told of them.
func (t *told) values(in Input) ([]SourceValues, error) {
	if err := t.host.Err(t.Failure); err != nil {
		return nil, err
	}
	all, err := decodeValues(t.body, len(in.Snapshots))
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.Source >= len(in.Snapshots) || unknown(s.Type) {
			return nil, errSaying
		}
		for _, v := range s.Values {
			for i, l := range v.Layers {
				v.Layers[i].Origin = t.host.Where(l.Origin)
			}
		}
	}
	return all, nil
}

// log gives the worker's messages to the engine's log.
func (t *told) log(to *slog.Logger) {
	for _, l := range t.Logged[:min(len(t.Logged), mostLogged)] {
		l.log(to)
	}
}

// variables are the build environment of a source, as plugins get it.
func (in Input) variables(i int) environ.Env {
	revision := environ.Text(in.Snapshots[i].Revision)
	return in.environment(revision, record.WrapFacts(in.Facts), in.App.Spec.GetSources()[i])
}
