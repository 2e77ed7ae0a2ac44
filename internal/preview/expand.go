package preview

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
)

// Bounds of an expansion: applications that make applications without end
// reach them.
const (
	maxDepth = 32
	maxApps  = 100_000
)

// expansion brings one side to its fixed point.
type expansion struct {
	side     Side
	options  Options
	generate *generate.Generator
	state    *State
	// known are nodes that were opened already: the second pass opens none of
	// them again.
	mu    sync.Mutex
	known map[knownKey]*opened
}

// knownKey tells nodes apart: a parent that is opened once gives the same
// objects again.
type knownKey struct {
	app    *v1alpha1.Application
	set    *v1alpha1.ApplicationSet
	of     string
	parent ID
}

// Expand expands all that a side declares, recursively: sets give
// applications, and applications of the hub may give both.
func Expand(ctx context.Context, side Side, o Options) (*State, error) {
	return expand(ctx, side, o.complete(), nil)
}

// expand is Expand beside another side, with the names that several files of
// that declare.
func expand(ctx context.Context, side Side, o Options, shared map[ID]bool) (*State, error) {
	e := &expansion{side: side, options: o, known: map[knownKey]*opened{}, state: &State{Side: side}}
	e.generate = side.generator(fleet{side.Roster}, o.Generators...)
	roots, err := chosen(side.Found, o, shared)
	if err != nil {
		return nil, err
	}
	state, err := e.run(ctx, roots)
	if state != nil {
		state.warnings = append(state.warnings, slices.Concat(namesakes(roots, o.Namespace), state.contested())...)
	}
	return state, err
}

// fleet lists the clusters of a side.
type fleet struct{ roster roster.Roster }

func (f fleet) Clusters(context.Context) ([]gitops.Cluster, error) { return f.roster.List(), nil }

// anyProject takes every AppProject as there: which ones a hub has beyond the
// repository cannot be known.
type anyProject struct{}

func (anyProject) HasProject(_ context.Context, name string) (bool, error) { return name != "", nil }

// run expands in passes. What another object of the repository makes is no
// root, though its file declares it; which those are is known after a pass.
func (e *expansion) run(ctx context.Context, roots []node) (*State, error) {
	if err := e.pass(ctx, roots); err != nil || len(e.options.Roots) > 0 {
		return e.state, err
	}
	made := e.children()
	left := slices.DeleteFunc(slices.Clone(roots), func(n node) bool { return e.made(n, made) })
	if len(left) == len(roots) {
		return e.state, nil
	}
	for {
		if err := e.pass(ctx, left); err != nil {
			return nil, err
		}
		made = e.children()
		// Applications that make one another in a circle need a start.
		lost := slices.IndexFunc(roots, func(n node) bool { return !e.reached(n, made) })
		if lost < 0 {
			return e.state, nil
		}
		left = append(left, roots[lost])
	}
}

// children are all nodes that some node made, by what they are.
func (e *expansion) children() map[ID][]node {
	out := map[ID][]node{}
	for _, o := range e.known {
		for _, c := range o.children {
			id := c.id(e.options.Namespace)
			id.Of = ""
			out[id] = append(out[id], c)
		}
	}
	return out
}

// made reports whether a root is made by something else of this side.
func (e *expansion) made(n node, made map[ID][]node) bool {
	id := n.id(e.options.Namespace)
	return slices.ContainsFunc(made[plain(id)], func(c node) bool { return c.parent != id && declares(n, c, id) })
}

// reached reports whether a root is in the state, as itself or as a child.
func (e *expansion) reached(n node, made map[ID][]node) bool {
	id := n.id(e.options.Namespace)
	return e.has(id) || slices.ContainsFunc(made[plain(id)], func(c node) bool { return e.has(c.parent) && declares(n, c, id) })
}

func plain(id ID) ID {
	id.Of = ""
	return id
}

func (e *expansion) has(id ID) bool { return e.state.Apps[id] != nil || e.state.Sets[id] != nil }

// declares reports whether a root's file is where a child of its name comes
// from: where the child's own file is known, it has to be this one.
func declares(root, child node, id ID) bool {
	fromFile := child.parent.Kind == v1alpha1.ApplicationKind && child.place.File != "" && child.repo == ""
	return !fromFile || child.place.File == root.place.File || id.Of == ""
}

// pass expands roots to the fixed point into a new state.
func (e *expansion) pass(ctx context.Context, roots []node) error {
	e.state = &State{Side: e.side, Apps: map[ID]*App{}, Sets: map[ID]*Set{}}
	level := roots
	for depth := 0; len(level) > 0; depth++ {
		if depth > maxDepth {
			e.tooDeep(level)
			return nil
		}
		level = e.fresh(level)
		if len(e.state.Apps)+len(level) > maxApps {
			return gitops.Problemf(gitops.Invalid, "cannot expand more than %d applications", maxApps).
				Do("look for applications that make ever more of them, or name the roots to start from with --root")
		}
		all, err := e.openAll(ctx, level)
		if err != nil {
			return err
		}
		level = nil
		for _, o := range all {
			e.take(o)
			level = append(level, o.children...)
		}
		e.options.Progress("expand", len(e.state.Apps), len(e.state.Apps)+len(level))
	}
	return nil
}

// fresh leaves out what is in the state already. Another object of the same
// name belongs to another hub, or is a mistake: both are shown.
func (e *expansion) fresh(level []node) []node {
	seen := map[ID]node{}
	var out []node
	for _, n := range level {
		n, ok := e.apart(n, seen)
		if !ok {
			continue
		}
		seen[n.id(e.options.Namespace)] = n
		out = append(out, n)
	}
	return out
}

// maxNamesakes is how many objects of one name and one origin are looked at.
const maxNamesakes = 32

// apart gives a node a name of its own beside those that came before; false
// for one that says what another of them says.
func (e *expansion) apart(n node, seen map[ID]node) (node, bool) {
	was, ok := e.earlier(n.id(e.options.Namespace), seen)
	if !ok {
		return n, true
	}
	e.twice(was, n)
	e.circle(was, n)
	if was.says(n) || n.parent == n.id(e.options.Namespace) {
		return n, false
	}
	origin := n.of
	if origin == "" {
		origin = n.origin()
	}
	for i := 1; i <= maxNamesakes; i++ {
		n.of = numbered(origin, i)
		was, ok := e.earlier(n.id(e.options.Namespace), seen)
		if !ok {
			return n, true
		}
		if was.says(n) {
			return n, false
		}
	}
	e.tooMany(n, origin)
	return n, false
}

// origin is what made a node: an object, or a file.
func (n node) origin() string {
	if n.parent == (ID{}) {
		return n.place.File
	}
	return n.parent.String()
}

// numbered tells apart what comes from one place.
func numbered(origin string, i int) string {
	if i == 1 {
		return origin
	}
	return fmt.Sprintf("%s, no. %d", origin, i)
}

// earlier is the node of a name that came before.
func (e *expansion) earlier(id ID, seen map[ID]node) (node, bool) {
	if n, ok := seen[id]; ok {
		return n, true
	}
	if a := e.state.Apps[id]; a != nil {
		return node{app: a.Application, parent: a.Parent, place: a.Place}, true
	}
	if s := e.state.Sets[id]; s != nil {
		return node{set: s.ApplicationSet, parent: s.Parent, place: s.Place}, true
	}
	return node{}, false
}

// twice notes an object that two others make: each would undo the other's. Of
// two that one makes, the last would stay.
func (e *expansion) twice(was, n node) {
	if was.parent == (ID{}) || n.parent == (ID{}) {
		return
	}
	if was.parent == n.parent {
		e.state.warnings = append(e.state.warnings, n.again(was, e.options.Namespace))
		return
	}
	e.state.rivals = append(e.state.rivals, rivalry{plain(n.id(e.options.Namespace)), was.parent, n.parent, n.place, n.repo})
}

func (e *expansion) take(o *opened) {
	if o.app != nil {
		e.state.Apps[o.app.ID] = o.app
	}
	if o.set != nil {
		e.state.Sets[o.set.ID] = o.set
	}
	e.state.failures = append(e.state.failures, o.failures...)
	e.state.warnings = append(e.state.warnings, o.warnings...)
}

// tooMany tells of a node that is left out.
func (e *expansion) tooMany(n node, origin string) {
	n.of = origin
	id := n.id(e.options.Namespace)
	e.state.failures = append(e.state.failures, finding{
		subject: id, reason: "TooManyNamesakes", same: id.String(),
		message: fmt.Sprintf("%s is left out: %s gives more than %d different objects of that name; give them names of their own", plain(id), origin, maxNamesakes),
		origin:  gitops.Origin{RepoURL: n.repo, File: n.place.File, Line: n.place.Line},
	})
}

func (e *expansion) tooDeep(level []node) {
	for _, n := range level {
		id := n.id(e.options.Namespace)
		e.state.failures = append(e.state.failures, finding{
			subject: id, reason: "TooDeep",
			message: fmt.Sprintf("%s is left out: applications make applications more than %d levels deep; look for one that makes itself under ever new names", id, maxDepth),
			origin:  gitops.Origin{RepoURL: n.repo, File: n.place.File, Line: n.place.Line},
		})
	}
}

// openAll opens nodes side by side; the results are in their order.
func (e *expansion) openAll(ctx context.Context, level []node) ([]*opened, error) {
	out := make([]*opened, len(level))
	err := inParallel(ctx, e.options.Workers, len(level), func(ctx context.Context, i int) {
		out[i] = e.openOnce(ctx, level[i])
	})
	return out, err
}

func (e *expansion) openOnce(ctx context.Context, n node) *opened {
	key := knownKey{n.app, n.set, n.of, n.parent}
	e.mu.Lock()
	o, ok := e.known[key]
	e.mu.Unlock()
	if ok {
		return o
	}
	o = e.open(ctx, n)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known[key] = o
	return o
}

// inParallel calls work for 0…n-1 and waits for all; the error is the context's,
// or a panic's.
func inParallel(ctx context.Context, workers, n int, work func(ctx context.Context, i int)) error {
	g, inner := crew.WithContext(ctx)
	g.SetLimit(workers)
	for i := range n {
		if inner.Err() != nil {
			break
		}
		g.Go(func() error {
			work(inner, i)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}
