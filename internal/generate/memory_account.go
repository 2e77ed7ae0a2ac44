package generate

import (
	"errors"
	"math/bits"
	"reflect"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// account is what one expansion holds, in bytes. What is made is taken before or
// when it is made, and given back when nothing holds it any more.
type account struct {
	// held is what is held now, and peak the most that was.
	held, peak int64
	// share is what may be held without more room, and most what one expansion
	// may hold at all.
	share, most int64
}

// errLarge tells that an expansion needs more room than it has.
var errLarge = errors.New("the expansion needs more room")

func (a *account) take(bytes int) error {
	a.held += int64(bytes)
	a.peak = max(a.peak, a.held)
	if a.held <= a.share {
		return nil
	}
	if a.share < a.most {
		return errLarge
	}
	return problemf(gitops.Invalid, "cannot hold more than %d MiB of what the set expands to: parameters, texts and Applications", a.most>>20).
		Do("split the ApplicationSet, narrow its generators, or let its template hold less for each Application")
}

func (a *account) give(bytes int) { a.held -= int64(bytes) }

// while takes what is held as long as work lasts.
func (a *account) while(bytes int, work func() error) error {
	if err := a.take(bytes); err != nil {
		return err
	}
	defer a.give(bytes)
	return work()
}

// perParsed is about what one value of YAML takes while it is parsed: as a node,
// as what that means, and as JSON.
const perParsed = 400

// parse takes what a text takes while it is parsed. One of too many values is not
// parsed, which the work says.
func (a *account) parse(text []byte, work func() error) error {
	values := bounded.Values(text)
	if values > bounded.MostValues {
		return work()
	}
	return a.while(perParsed*values, work)
}

const (
	perBox    = 16 // a text in an any has a header of its own
	perHeader = 48 // of a map
	perSlot   = 2*perBox + 1
)

// mapOf is about what a map of so many parameters takes.
func mapOf(entries int) int { return sized(entries, perSlot) }

// sized is what a map takes whose places have so many bytes: they come in
// eights, and in powers of two of which one in eight is free.
func sized(entries, slot int) int {
	const group = 8
	switch {
	case entries == 0:
		return perHeader
	case entries <= group:
		return perHeader + group*slot
	}
	places := 1 << bits.Len(uint(entries*group/(group-1)))
	return perHeader + places*slot
}

// weigh is about what a value of parameters takes, texts and all.
func weigh(value any) int { return weight(value, true) }

// frame is what a value takes whose texts are held elsewhere.
func frame(value any) int { return weight(value, false) }

func weight(value any, texts bool) int {
	switch v := value.(type) {
	case string:
		if texts {
			return perBox + len(v)
		}
		return perBox
	case Params:
		return mapWeight(v, texts)
	case map[string]any:
		return mapWeight(v, texts)
	case map[string]string:
		out := mapOf(len(v))
		for k, text := range v {
			out += len(k) + weight(text, texts) - perBox
		}
		return out
	case []any:
		return listWeight(v, texts)
	case []map[string]any:
		return listWeight(v, texts)
	case []string:
		return listWeight(v, texts)
	default:
		return perBox
	}
}

func mapWeight(m map[string]any, texts bool) int {
	out := mapOf(len(m))
	for k, v := range m {
		out += len(k) + weight(v, texts)
	}
	return out
}

func listWeight[T any](list []T, texts bool) int {
	out := 2*perBox + perBox*len(list)
	for _, v := range list {
		out += weight(v, texts)
	}
	return out
}

// weightOf is about what an object takes. Its maps are small, of which each takes
// more than what is in it.
func weightOf(object any) int {
	w := bounded.Weigh(object)
	return int(2*w.Parts + w.Texts) //nolint:mnd // as above
}

var (
	perApplication = int(reflect.TypeFor[v1alpha1.Application]().Size())
	perDraft       = int(reflect.TypeFor[draft]().Size())
)

// perRejected is what an Application that is rejected takes beside its text.
const perRejected = 1 << 10

// addLeaves adds all that flatten finds. What it takes is given back: whoever keeps
// the set takes all of it.
func (r *run) addLeaves(p Params, of map[string]any) error {
	before := r.held.held
	if err := r.held.flatten(of, p); err != nil {
		return err
	}
	r.held.held = before
	return nil
}

// perSet is what a parameter set takes in a list: that grows by a quarter.
const perSet = 24

// keep adds a parameter set of no cluster to those of a generator that are there. It ends the
// generator as soon as its sets are too many.
func (r *run) keep(sets []paramSet, p Params, bytes int) ([]paramSet, error) {
	return r.keepOf(sets, paramSet{Params: p}, bytes)
}

// keepOf is keep for a set that has something of clusters.
func (r *run) keepOf(sets []paramSet, p paramSet, bytes int) ([]paramSet, error) {
	if err := r.held.take(bytes + perSet); err != nil {
		return nil, err
	}
	if r.sets+len(sets) >= r.limits.ParameterSets {
		return nil, r.tooManySets()
	}
	if r.direct && len(r.position) == 1 {
		if err := r.room(len(sets) + 1); err != nil {
			return nil, err
		}
	}
	return append(sets, p), nil
}

// room reports whether a set may have so many Applications more.
func (r *run) room(more int) error {
	if r.applications+more <= r.limits.Applications {
		return nil
	}
	return problemf(gitops.Invalid, "cannot generate more than %d Applications for one ApplicationSet", r.limits.Applications).
		Do("split the ApplicationSet, or narrow its generators")
}

func (r *run) tooManySets() error {
	return problemf(gitops.Invalid, "cannot expand more than %d parameter sets", r.limits.ParameterSets).
		Do("narrow the generators, or split the ApplicationSet")
}

// dropped gives back the maps of sets that others were made of. What these have
// in them may be in the others.
func (r *run) dropped(sets []paramSet) {
	for _, p := range sets {
		r.held.give(mapOf(len(p.Params)))
	}
}
