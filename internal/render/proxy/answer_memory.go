package proxy

import (
	"errors"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// answer is what was given of a reference: a snapshot or an error.
type answer struct {
	snapshot *Snapshot
	err      error
}

// room is what may still be kept, in bytes.
type room int

// take reports whether there is room for more, which has it then.
func (r *room) take(n int) bool {
	if room(n) > *r {
		return false
	}
	*r -= room(n)
	return true
}

var errTooMany = errors.New("it asked for too many places elsewhere")

// kept is the error of an answer as it is kept for who asks again.
func (h *Host) kept(err error) error {
	if err = gitops.Brief(err); h.askedRoom.take(gitops.Held(err)) {
		return err
	}
	return errTooMany
}

// own is a reference as the engine reads it: for whom, and with which rights, is not for a
// worker to say.
func (h *Host) own(ref gitops.SourceRef) gitops.SourceRef {
	return gitops.SourceRef{
		RepoURL: ref.RepoURL, Chart: ref.Chart, Revision: ref.Revision, Project: h.engine.Rule.Project,
		PassCredentials: ref.PassCredentials && h.engine.Passing,
	}
}

// Own is a reference that a worker tells of, as it was read for it, with what was given of
// it, which is nil where that was an error. ok is false for one that it did not ask for.
func (h *Host) Own(ref gitops.SourceRef) (own gitops.SourceRef, given *Snapshot, ok bool) {
	own = h.own(ref)
	a, ok := h.answers[own]
	return own, a.snapshot, ok
}

// Asked are the references that were asked for, each once, in their order.
func (h *Host) Asked() []gitops.SourceRef { return slices.Clone(h.asked) }

// place is where something lies that was given: a revision of a repository, or an address.
type place struct{ address, revision string }

// gave notes a place, as it is written and as people are told it.
func (h *Host) gave(address, revision string) {
	public := gitops.PublicAddress(address)
	written, told := place{address, revision}, place{public, revision}
	if h.places[written] && h.places[told] {
		return
	}
	if len(h.places) < maxPlaces && h.placesRoom.take(len(address)+len(public)+len(revision)) {
		h.places[written], h.places[told] = true, true
	}
}

func (h *Host) knows(o gitops.Origin) bool {
	return o.RepoURL == "" && o.Revision == "" || h.places[place{o.RepoURL, o.Revision}] ||
		h.places[place{gitops.PublicAddress(o.RepoURL), o.Revision}]
}

// Where is a place that a worker tells of. Where nothing lies that it was given, it is that
// of its source; of the first one, if there is no such source.
func (h *Host) Where(o gitops.Origin) gitops.Origin {
	o.File, o.Line = gitops.First(o.File, longestName), max(o.Line, 0)
	if o.Source < 0 || o.Source >= h.sources {
		o.Source = 0
	}
	if h.knows(o) {
		return o
	}
	if h.sources == 0 {
		return gitops.Origin{}
	}
	s := h.snapshots[o.Source]
	return gitops.Origin{Source: o.Source, RepoURL: s.Ref.RepoURL, Revision: s.Revision}
}

// vouched is a Failure of which the Host knows whose references and places it names.
func (h *Host) vouched(f Failure) *Failure {
	if f.Ref != nil {
		own, _, ok := h.Own(*f.Ref)
		if f.Ref = nil; ok {
			f.Ref = &own
		}
	}
	if f.Problem == nil {
		return &f
	}
	p := *f.Problem
	p.Where = h.Where(p.Where)
	if p.Kind < gitops.Invalid || p.Kind > gitops.NotMirrored {
		p.Kind = gitops.Invalid
	}
	f.Problem = &p
	return &f
}

// gaveError notes where the Problems in an error lie.
func (h *Host) gaveError(err error) {
	var p *gitops.Problem
	if errors.As(err, &p) {
		h.gave(p.Where.RepoURL, p.Where.Revision)
	}
}

// environment are the variables of a job, with those of the engine in the place of what a
// worker says of them.
func (h *Host) environment(number int, said []string) []string {
	if h.engine.Variables == nil {
		return said
	}
	own := h.engine.Variables(number)
	out := slices.DeleteFunc(slices.Clone(said), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		_, is := own[name]
		return is
	})
	for name, value := range own {
		if text := value(); text != "" && !strings.Contains(text, "\x00") {
			out = append(out, name+"="+text)
		}
	}
	return out
}
