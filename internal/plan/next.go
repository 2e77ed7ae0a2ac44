package plan

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Progress is how far a sync has come with its plan. The zero value is the start.
type Progress struct {
	// Waves is the number of waves applied, those left out counted.
	Waves int
	// Failing tells that only SyncFail waves are left.
	Failing bool

	results map[done]gitops.Result
}

// done names an action of a plan: a hook may be there once a phase.
type done struct {
	phase gitops.Phase
	key   gitops.Key
}

// Applied takes the results of a wave into account.
func (g *Progress) Applied(results []gitops.Result) {
	if g.results == nil {
		g.results = make(map[done]gitops.Result, len(results))
	}
	for _, r := range results {
		g.results[done{r.Phase, r.Key}] = r
	}
}

// Results returns what became of the actions so far, in the order of the plan.
func (g *Progress) Results(p *gitops.Plan) []gitops.Result {
	var out []gitops.Result
	for _, w := range p.Waves {
		for i := range w.Actions {
			if r, ok := g.results[done{w.Phase, w.Actions[i].Key}]; ok {
				out = append(out, r)
			}
		}
	}
	return out
}

// Waiting is an object that holds a sync back.
type Waiting struct {
	Key    gitops.Key
	Phase  gitops.Phase
	Wave   int
	Health gitops.Health
}

// String has the form "waiting for apps/Deployment:shop/web in wave 2: 1 of 3 replicas".
func (w Waiting) String() string {
	s := fmt.Sprintf("waiting for %s in wave %d", w.Key, w.Wave)
	if w.Phase != gitops.Sync {
		s = fmt.Sprintf("waiting for %s in %s wave %d", w.Key, w.Phase, w.Wave)
	}
	if w.Health.Message != "" {
		return s + ": " + w.Health.Message
	}
	return s + ": " + string(w.Health.Code)
}

// Step is what a sync does now.
type Step struct {
	// Wave is what may be applied now; nil when there is nothing. After it,
	// call Progress.Applied and ask again.
	Wave *gitops.Wave
	// Again tells that Wave has been tried before: something that it needs
	// was not there. Try it when that has changed, or after a while.
	Again bool
	// Replan tells that a live object that is being deleted has to go first;
	// the plan has to be made again when it has.
	Replan bool
	// Waiting are the objects that hold the sync back.
	Waiting []Waiting
	// Done ends the sync; Failed tells how.
	Done   bool
	Failed bool
	// Errors of the actions and hooks that failed.
	Errors []error
}

// Next tells which wave of a plan may run now and what is waited for. live
// looks up the newest known state of an object, nil when it is not there.
//
// The rules are Argo CD's: between waves, every object has to be healthy; the
// last wave is not waited for, but hooks always are; a degraded object ends
// the sync. Kinds without a health check are healthy as soon as they exist.
// An Application that is degraded is waited for: it heals by itself.
func Next(p *gitops.Plan, g *Progress, live func(gitops.Key) *gitops.Live) Step {
	end := lastOrdinary(p) + 1
	if g.Waves > 0 && (!g.Failing || g.Waves != end) {
		gate := g.check(p, g.Waves-1, g.Waves < end, live)
		switch {
		case len(gate.Errors) > 0 && !g.Failing:
			return g.fail(p, end, gate.Errors)
		case gate.Wave != nil || gate.Replan || len(gate.Waiting) > 0:
			return gate
		}
	}
	if g.Failing {
		end = len(p.Waves)
	}
	if g.Waves >= end {
		return Step{Done: true, Failed: g.Failing, Errors: g.failures(p)}
	}
	return Step{Wave: &p.Waves[g.Waves]}
}

// Advance counts the wave that Next handed out as applied. A wave that is
// tried again is counted once.
func (g *Progress) Advance(s Step, results []gitops.Result) {
	g.Applied(results)
	if s.Wave != nil && !s.Again {
		g.Waves++
	}
}

// fail goes on with the SyncFail waves, which follow all others.
func (g *Progress) fail(p *gitops.Plan, end int, errs []error) Step {
	g.Failing, g.Waves = true, end
	if end >= len(p.Waves) {
		return Step{Done: true, Failed: true, Errors: errs}
	}
	return Step{Wave: &p.Waves[end], Errors: errs}
}

func lastOrdinary(p *gitops.Plan) int {
	for i := len(p.Waves) - 1; i >= 0; i-- {
		if p.Waves[i].Phase != gitops.SyncFail {
			return i
		}
	}
	return -1
}

// check looks at a wave that has been applied. more tells that another one
// follows, so that its objects have to be healthy.
func (g *Progress) check(p *gitops.Plan, index int, more bool, live func(gitops.Key) *gitops.Live) Step {
	var s Step
	w := &p.Waves[index]
	again := gitops.Wave{Phase: w.Phase, Number: w.Number}
	for i := range w.Actions {
		a := &w.Actions[i]
		result := g.results[done{w.Phase, a.Key}]
		switch {
		case notReady(result.Err):
			again.Actions = append(again.Actions, *a)
			s.Waiting = append(s.Waiting, Waiting{a.Key, w.Phase, w.Number, gitops.Health{Code: gitops.Missing, Message: result.Err.Error()}})
		case result.Err != nil:
			s.Errors = append(s.Errors, result.Err)
		case a.Desired == nil || a.Verb == gitops.Skip && !a.Live.Deleting:
		default:
			s.object(a, w, newest(live(a.Key), result), more)
		}
	}
	if len(again.Actions) > 0 {
		s.Wave, s.Again = &again, true
	}
	return s
}

func notReady(err error) bool {
	var problem *gitops.Problem
	return errors.As(err, &problem) && problem.Kind == gitops.NotReady
}

// object adds what the health of one object means for the sync.
func (s *Step) object(a *gitops.Action, w *gitops.Wave, now *gitops.Live, more bool) {
	wait := Waiting{Key: a.Key, Phase: w.Phase, Wave: w.Number}
	switch {
	case now == nil && a.Verb == gitops.Skip:
		// It was being deleted and has gone: it can be created now.
		s.Replan = true
		return
	case now == nil:
		wait.Health = gitops.Health{Code: gitops.Missing, Message: "it is not there"}
	case now.Deleting:
		s.Replan = s.Replan || a.Verb == gitops.Skip
		wait.Health = gitops.Health{Code: gitops.Progressing, Message: deleting(now)}
	default:
		wait.Health = now.Health
	}
	if !more && !a.Hook && a.Verb != gitops.Skip {
		return
	}
	code := wait.Health.Code
	if code == gitops.Healthy || code == "" {
		return
	}
	if code == gitops.Degraded && !isApplication(a.Key) {
		s.Errors = append(s.Errors, degraded(a, wait))
		return
	}
	s.Waiting = append(s.Waiting, wait)
}

func degraded(a *gitops.Action, w Waiting) error {
	what := fmt.Sprintf("%s is Degraded", w.Key)
	if a.Hook {
		what = fmt.Sprintf("hook %s of %s failed", w.Key, w.Phase)
	}
	if w.Health.Message != "" {
		what += ": " + w.Health.Message
	}
	return gitops.Problemf(gitops.NotReady, "%s", what).At(a.Desired.Origin)
}

func deleting(l *gitops.Live) string {
	if len(l.Finalizers) == 0 {
		return "it is being deleted"
	}
	return "it is being deleted and waits for finalizer " + l.Finalizers[0]
}

func isApplication(k gitops.Key) bool { return k.Group == "argoproj.io" && k.Kind == "Application" }

// newest picks the later of what a watch saw and what an apply returned: a
// watch may lag behind, and then shows an older generation, an older object of
// the same name, or none.
func newest(seen *gitops.Live, r gitops.Result) *gitops.Live {
	if r.Live == nil || r.Verb == gitops.Keep || r.Verb == gitops.Skip {
		return seen
	}
	if seen == nil {
		return r.Live
	}
	a, errA := strconv.ParseUint(seen.ResourceVersion, 10, 64)
	b, errB := strconv.ParseUint(r.Live.ResourceVersion, 10, 64)
	if errA == nil && errB == nil && b > a {
		return r.Live
	}
	return seen
}

func (g *Progress) failures(p *gitops.Plan) []error {
	var errs []error
	for _, r := range g.Results(p) {
		if r.Err != nil {
			errs = append(errs, r.Err)
		}
	}
	return errs
}

// Leftovers are the deletions of hooks at the end of a sync, by their delete policies.
func Leftovers(p *gitops.Plan, g *Progress, failed bool) []gitops.Action {
	policy := HookSucceeded
	if failed {
		policy = HookFailed
	}
	var out []gitops.Action
	for _, w := range p.Waves {
		for i := range w.Actions {
			a := w.Actions[i]
			result, ran := g.results[done{w.Phase, a.Key}]
			if !a.Hook || !ran || result.Err != nil || !hasPolicy(ParseHook(a.Desired.Object.GetAnnotations()), policy) {
				continue
			}
			out = append(out, gitops.Action{
				Verb: gitops.Prune, Key: a.Key, Live: result.Live, Hook: true, Options: a.Options,
				Reason: "hook-delete-policy " + string(policy),
			})
		}
	}
	return out
}
