package plan

import (
	"errors"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Basis is what a plan was made on, without the objects and what was live.
type Basis struct {
	recipe   *recipe
	heal     bool
	revision string
	started  time.Time
}

// Basis of the plan that Make makes of an input.
func (in *Input) Basis() Basis {
	return Basis{recipe: in.Set.recipe, heal: in.Heal, revision: in.Revision, started: in.Started}
}

// Outline is a plan without the objects that it applies, which are nearly all of
// its memory. It is what is kept of a plan whose sync waits; nothing can be
// applied by it.
type Outline struct {
	basis Basis
	plan  gitops.Plan
}

// Outline lets go of the objects of a plan, which stays as it is.
func (b Basis) Outline(p *gitops.Plan) *Outline {
	o := &Outline{basis: b, plan: *p}
	o.plan.Waves = slices.Clone(p.Waves)
	for i := range o.plan.Waves {
		w := &o.plan.Waves[i]
		w.Actions = slices.Clone(w.Actions)
		for k := range w.Actions {
			leaveOut(&w.Actions[k])
		}
	}
	return o
}

// leaveOut lets go of an object that its set has, with what is said of it there,
// and of what was found when it was compared: whoever shows that compares anew.
func leaveOut(a *gitops.Action) {
	a.Deviations, a.Untold, a.Unheeded = nil, 0, nil
	if a.Desired == nil || !a.Namespace && a.Place == 0 {
		return
	}
	a.Desired = nil
	if !a.Hook && !a.Namespace {
		a.Ignore, a.Drift = gitops.Ignore{}, gitops.Drift{}
	}
}

// lacks reports whether an action has lost its object to an outline.
func lacks(a *gitops.Action) bool { return a.Desired == nil && (a.Namespace || a.Place > 0) }

// Whole is the plan again, with all that was decided. The manifests are those that it was made
// of; set is what they give now. Where that is something else by now, they are
// brought into their form once more as they were then. The outline is used up.
func (o *Outline) Whole(set *Set, manifests []gitops.Manifest) (*gitops.Plan, error) {
	if !o.gives(set, isSame) {
		var err error
		if set, err = o.basis.recipe.of(manifests); err != nil {
			return nil, err
		}
		// Digests are no measure here: a number that was kept as text may
		// be written otherwise.
		if !o.gives(set, isOf) {
			return nil, errors.New("the manifests are not those that the plan was made of")
		}
	}
	m := maker{Input: Input{Set: set, Heal: o.basis.heal, Revision: o.basis.revision, Started: o.basis.started}}
	for i := range o.plan.Waves {
		for k := range o.plan.Waves[i].Actions {
			m.fill(&o.plan.Waves[i].Actions[k])
		}
	}
	return &o.plan, nil
}

// gives reports whether a set has all the objects that the outline lacks, each as is says.
func (o *Outline) gives(set *Set, is func(*gitops.Action, *Object) bool) bool {
	for i := range o.plan.Waves {
		for k := range o.plan.Waves[i].Actions {
			a := &o.plan.Waves[i].Actions[k]
			if lacks(a) && !is(a, set.objectOf(a)) {
				return false
			}
		}
	}
	return true
}

// objectOf is the object of an action; nil when the set has none in its place.
func (s *Set) objectOf(a *gitops.Action) *Object {
	switch {
	case a.Namespace:
		return s.Namespace
	case a.Place > len(s.Objects):
		return nil
	}
	return &s.Objects[a.Place-1]
}

// isOf reports whether an action is for an object. That of a hook may have got its
// name from the sync.
func isOf(a *gitops.Action, o *Object) bool {
	if o == nil || o.Hook.Is != a.Hook {
		return false
	}
	key := a.Key
	if a.Hook && o.Key.Name == "" {
		key.Name = ""
	}
	return key == o.Key
}

// isSame reports whether an action is for an object of this content.
func isSame(a *gitops.Action, o *Object) bool { return isOf(a, o) && o.Digest == a.Digest }

// fill gives an action its object back.
func (m *maker) fill(a *gitops.Action) {
	if !lacks(a) {
		return
	}
	o := m.Set.objectOf(a)
	a.Desired = &o.Manifest
	switch {
	case a.Hook:
		m.shapeHook(o, a)
	case !a.Namespace:
		a.Ignore, a.Drift = o.Ignore, m.driftOf(o)
	}
}
