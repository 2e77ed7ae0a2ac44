package massdeletion

import (
	"context"
	"regexp"
	"slices"

	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// position is what stays of an object when it moves: into another namespace, or
// to another name out of a hash of its content. One in no namespace does not move.
type position struct{ group, kind, name string }

// hashed is the suffix that Kustomize gives to names out of the content.
var hashed = regexp.MustCompile(`-[bcdfghkmt2456789]{10}$`)

func place(k gitops.Key) position {
	return position{k.Group, k.Kind, hashed.ReplaceAllString(k.Name, "-")}
}

// move is an object that goes, and the one that is made anew for it.
type move struct{ from, to *gitops.Action }

// movesOf pairs deletions of a list with what a plan makes in their place: in the
// same wave or before, for what is made in a later one may never be.
func movesOf(p *gitops.Plan, list guard.List) []move {
	counted := map[string]bool{}
	for _, d := range list {
		counted[d.Name] = d.Weight == 1
	}
	free := map[position][]*gitops.Action{}
	var out []move
	for i := range p.Waves {
		actions := p.Waves[i].Actions
		for j := range actions {
			if a := &actions[j]; a.Verb == gitops.Create && !a.Hook && !a.Namespace && a.Key.Namespace != "" {
				free[place(a.Key)] = append(free[place(a.Key)], a)
			}
		}
		for j := range actions {
			a := &actions[j]
			at := place(a.Key)
			if a.Verb == gitops.Prune && counted[a.Key.String()] && len(free[at]) > 0 {
				out = append(out, move{from: a, to: free[at][0]})
				free[at] = free[at][1:]
			}
		}
	}
	return out
}

// withoutMoves takes out of a list what only moves, as far as the cluster tells
// before anything is done: dry runs ask it whether it would take what is made anew.
func (r *Keeper) withoutMoves(ctx context.Context, t *state.Target, p *gitops.Plan, list guard.List) guard.List {
	all := movesOf(p, list)
	if len(all) == 0 {
		return list
	}
	owners := r.ownersIn(t, p)
	namespaces := r.namespacesOf(ctx, t, p, all, owners)
	comes := make([]bool, len(all))
	var g crew.Group
	g.SetLimit(state.ConfirmsInFlight)
	for i, m := range all {
		g.Go(func() error {
			comes[i] = owners.have(ctx, m.to) && r.comes(ctx, t, m, namespaces[m.to.Key.Namespace])
			return nil
		})
	}
	_ = g.Wait() // what cannot be asked does not come
	moved := map[string]bool{}
	for i, m := range all {
		moved[m.from.Key.String()] = comes[i]
	}
	return slices.DeleteFunc(slices.Clone(list), func(d guard.Deletion) bool { return moved[d.Name] })
}

// fate is what becomes of a namespace by a plan.
type fate int

const (
	fateStays fate = iota
	fateComes
	fateGoes
)

// namespacesOf tells which namespaces that something moves to are made or go by
// the same plan. Those that are made come before what is in them.
func (r *Keeper) namespacesOf(ctx context.Context, t *state.Target, p *gitops.Plan, all []move, owners owners) map[string]fate {
	out := map[string]fate{}
	for _, m := range all {
		out[m.to.Key.Namespace] = fateStays
	}
	for a := range p.All() {
		if _, used := out[a.Key.Name]; !used || a.Key.Group != "" || a.Key.Kind != "Namespace" {
			continue
		}
		switch {
		case a.Verb == gitops.Prune, a.Goes, a.Disowned, a.Hook, a.Live != nil && a.Live.Deleting:
			out[a.Key.Name] = fateGoes
		case a.Verb == gitops.Create && !owners.have(ctx, a):
			out[a.Key.Name] = fateGoes
		case a.Verb == gitops.Create && r.wouldTake(ctx, t, *a):
			out[a.Key.Name] = fateComes
		}
	}
	return out
}

// comes reports whether the cluster would take what a move makes anew. Where its
// namespace is only coming, the content is tried in the old place.
func (r *Keeper) comes(ctx context.Context, t *state.Target, m move, namespace fate) bool {
	if namespace == fateGoes {
		return false
	}
	if namespace == fateStays {
		return r.wouldTake(ctx, t, *m.to)
	}
	object := m.to.Desired.Object.DeepCopy()
	object.SetNamespace(m.from.Key.Namespace)
	object.SetName(m.from.Key.Name)
	old := *m.to
	old.Verb, old.Key, old.Live, old.Desired = gitops.Update, m.from.Key, m.from.Live, m.to.Desired.With(object)
	return r.wouldTake(ctx, t, old)
}

// wouldTake asks the cluster by a dry run whether it would take an object. Where it
// cannot tell, as the namespace is not there, Predict gives the desired object back:
// that has no UID but one that somebody wrote.
func (r *Keeper) wouldTake(ctx context.Context, t *state.Target, a gitops.Action) bool {
	a.Drift = gitops.Drift{} // what is frozen would not be tried
	_, predicted, err := r.Apply.Predict(ctx, t.Writer, a)
	return err == nil && predicted != nil && predicted.GetUID() != "" && a.Desired.Object.GetUID() == ""
}
