package dependency

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
)

// Bounds of what the objects of one wave depend on together: each look at a sync that
// waits asks for all of it, one after another.
const (
	// mostNamed are milliseconds each to ask for, and are all watched.
	mostNamed = 1000
	// mostSelected are lists of a kind; one annotation may say as many.
	mostSelected = 64
	// mostWritten is what annotations that differ have, in bytes: YAML of so much is
	// read in about a second.
	mostWritten = 4 << 20
)

// needs are what the objects of a wave depend on.
type needs struct {
	of []dependent
	// refs are what is depended on, each once however many name it, with the shortest
	// timeout of theirs.
	refs []depend.Ref
	// broken are the objects whose dependencies cannot be read.
	broken []gitops.Waiting

	// known are the places of refs, and texts what each annotation says.
	known map[depend.Ref]int
	texts map[string]said
	// written are the bytes of the texts, and selected the refs without a name.
	written, selected int
}

// dependent is an object of a wave with what it depends on, as places in needs.refs.
type dependent struct {
	key  gitops.Key
	refs []int
}

// said is what an annotation says, as places in needs.refs, or why it cannot be read.
type said struct {
	refs []int
	err  error
}

// Wave is a wave of a plan that is about to be applied.
type Wave struct {
	Plan *gitops.Plan
	Step plan.Step
	// Since is since when it has waited; zero for one that has not.
	Since time.Time
}

// Unmet is what a wave lacks, in the place of its step, and since when.
type Unmet struct {
	Step  plan.Step
	Since time.Time
}

// Holds tells what holds a wave back whose objects depend on something that is not
// there or not healthy; ok is false where nothing does.
func (c *Checker) Holds(ctx context.Context, by *Asker, w Wave) (_ Unmet, ok bool) {
	n, err := needsOf(ctx, w.Step)
	switch {
	case ctx.Err() != nil:
		return Unmet{Since: w.Since}, false // it is not applied: the look is over
	case err != nil:
		return Unmet{Step: plan.Step{Done: true, Failed: true, Errors: []error{err}}}, true
	case len(n.broken) == 0 && len(n.of) == 0:
		return Unmet{}, false
	}
	unmet := n.broken
	if len(unmet) == 0 {
		unmet = c.waveUnmet(ctx, by, w, n)
	}
	if len(unmet) == 0 {
		c.Forget(by)
		return Unmet{}, false
	}
	since := cmp.Or(w.Since, c.Now())
	return Unmet{Step: c.waveGivesUp(since, n.refs, plan.Step{Waiting: unmet}), Since: since}, true
}

// needsOf reads what the objects of a wave depend on. Applications and sets wait
// by themselves.
func needsOf(ctx context.Context, step plan.Step) (*needs, error) {
	n := &needs{known: map[depend.Ref]int{}, texts: map[string]said{}}
	for i := range step.Wave.Actions {
		action := &step.Wave.Actions[i]
		if action.Desired == nil || action.Verb == gitops.Keep || action.Verb == gitops.Skip || isAppOrSet(action.Key) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		switch says := n.read(action.Desired.Object.GetAnnotations()[gitops.AnnotationDependsOn]); {
		case says.err != nil:
			n.broken = append(n.broken, holding(action.Key, step, says.err.Error()))
		case len(says.refs) > 0:
			n.of = append(n.of, dependent{action.Key, says.refs})
		}
		if bound := n.exceeds(); bound != "" {
			return nil, gitops.Problemf(gitops.Invalid, "the objects of wave %d of %s name too much that they depend on: more than %s", step.Wave.Number, step.Wave.Phase, bound).
				At(action.Desired.Origin).Do("name it in the annotation " + gitops.AnnotationDependsOn + " of one object, which holds back the whole wave, and select what is alike by a label")
		}
	}
	return n, nil
}

// read is what an annotation says. What many objects say alike is read once.
func (n *needs) read(text string) said {
	if known, ok := n.texts[text]; ok {
		return known
	}
	refs, err := depend.Parse(text)
	says := said{err: err}
	for _, ref := range refs {
		if i := n.place(ref); !slices.Contains(says.refs, i) {
			says.refs = append(says.refs, i)
		}
	}
	n.written += len(text)
	n.texts[text] = says
	return says
}

// place is where a ref stands in needs.refs.
func (n *needs) place(ref depend.Ref) int {
	means := ref.Means()
	i, ok := n.known[means]
	if !ok {
		n.known[means] = len(n.refs)
		n.refs = append(n.refs, ref)
		if ref.Name == "" {
			n.selected++
		}
		return len(n.refs) - 1
	}
	if known := &n.refs[i]; known.Timeout == 0 || ref.Timeout > 0 && ref.Timeout < known.Timeout {
		known.Timeout = ref.Timeout
	}
	return i
}

// exceeds tells which bound it does; empty when none.
func (n *needs) exceeds() string {
	switch {
	case len(n.refs)-n.selected > mostNamed:
		return fmt.Sprintf("%d different objects", mostNamed)
	case n.selected > mostSelected:
		return fmt.Sprintf("%d different selectors", mostSelected)
	case n.written > mostWritten:
		return fmt.Sprintf("%d MiB of annotations that differ", mostWritten>>20)
	}
	return ""
}

// waveUnmet tells of each object of a wave what it waits for.
func (c *Checker) waveUnmet(ctx context.Context, by *Asker, w Wave, n *needs) []gitops.Waiting {
	if later := n.comeLater(w.Plan, w.Step); len(later) > 0 {
		return later
	}
	as := asking{Asker: by, within: c.reachOfFiles(by.App), guessed: new(int)}
	if err := c.watchFor(ctx, as, n.refs); err != nil {
		return []gitops.Waiting{holding(n.of[0].key, w.Step, err.Error())}
	}
	return n.unmet(w.Step, func(ref depend.Ref) []string { return c.unmetBy(ctx, as, ref) })
}

// unmet asks once for each thing that is depended on, and tells of each object what
// it waits for.
func (n *needs) unmet(step plan.Step, ask func(depend.Ref) []string) []gitops.Waiting {
	lacks := make([]few, len(n.refs))
	for i, ref := range n.refs {
		lacks[i] = fewOf(ask(ref))
	}
	var unmet []gitops.Waiting
	for _, d := range n.of {
		var all few
		for _, i := range d.refs {
			all = all.and(lacks[i])
		}
		if all.all > 0 {
			unmet = append(unmet, holding(d.key, step, "it is waiting for "+all.String()))
		}
	}
	return unmet
}

// comeLater tells of dependencies that the same sync would bring in this wave or after
// it: they would be waited for in vain.
func (n *needs) comeLater(p *gitops.Plan, step plan.Step) []gitops.Waiting {
	brings := broughtFrom(p, step)
	var unmet []gitops.Waiting
	for _, d := range n.of {
		for _, i := range d.refs {
			ref := n.refs[i]
			number, ok := brings[gitops.Key{Group: ref.Group, Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}]
			if ok && ref.Cluster == "" {
				unmet = append(unmet, holding(d.key, step, fmt.Sprintf("it depends on %s, which this sync brings no earlier than it: give that a lower wave than %d", ref, number)))
				break
			}
		}
	}
	return unmet
}

// broughtFrom are the objects that a plan creates in the wave of a step or after it,
// with the number of their wave: each with its namespace and, as a dependency may name
// none, without.
func broughtFrom(p *gitops.Plan, step plan.Step) map[gitops.Key]int {
	out := map[gitops.Key]int{}
	reached := false
	for i := range p.Waves {
		w := &p.Waves[i]
		reached = reached || w.Phase == step.Wave.Phase && w.Number == step.Wave.Number
		if !reached {
			continue
		}
		for j := range w.Actions {
			action := &w.Actions[j]
			if action.Desired == nil || action.Verb != gitops.Create {
				continue
			}
			anywhere := action.Key
			anywhere.Namespace = ""
			for _, key := range []gitops.Key{action.Key, anywhere} {
				if _, earlier := out[key]; !earlier {
					out[key] = w.Number
				}
			}
		}
	}
	return out
}

// waveGivesUp ends a sync whose wave has waited for as long as its objects say.
func (c *Checker) waveGivesUp(since time.Time, refs []depend.Ref, unmet plan.Step) plan.Step {
	limit := Timeout(refs)
	if limit == 0 {
		return unmet
	}
	if c.Now().Before(since.Add(limit)) {
		unmet.Again = true
		return unmet
	}
	w := unmet.Waiting[0]
	return plan.Step{Done: true, Failed: true, Errors: []error{fmt.Errorf("gave up on %s after %s: %s", w.Key, limit, w.Health.Message)}}
}

func isAppOrSet(k gitops.Key) bool {
	return k.Group == v1alpha1.Group && (k.Kind == v1alpha1.ApplicationKind || k.Kind == v1alpha1.ApplicationSetKind)
}

func holding(by gitops.Key, step plan.Step, why string) gitops.Waiting {
	return gitops.Waiting{Key: by, Phase: step.Wave.Phase, Wave: step.Wave.Number, Health: gitops.Health{Code: gitops.Progressing, Message: why}}
}
