package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Progress is how far a sync has come with its plan. The zero value is the start.
type Progress struct {
	// Waves is the number of waves applied, those left out counted.
	Waves int
	// Failing tells that only SyncFail waves are left.
	Failing bool

	// why are the errors that led to the SyncFail waves.
	why     []error
	results map[actionID]gitops.Result
	// lost are objects that somebody deleted after their action.
	lost map[actionID]bool
	// unawaited are Jobs that were done and have been collected since, and objects
	// that nobody may ask for any more.
	unawaited map[actionID]bool
}

// actionID has the phase because a hook may be there once in each.
type actionID struct {
	phase gitops.Phase
	key   gitops.Key
}

// Applied takes the results of a wave into account.
func (g *Progress) Applied(results []gitops.Result) {
	if g.results == nil {
		g.results = make(map[actionID]gitops.Result, len(results))
	}
	for _, r := range results {
		g.results[actionID{r.Phase, r.Key}] = r
		delete(g.lost, actionID{r.Phase, r.Key})
	}
}

// Results returns what became of the actions so far, in the order of the plan.
func (g *Progress) Results(p *gitops.Plan) []gitops.Result {
	var out []gitops.Result
	for _, w := range p.Waves {
		for i := range w.Actions {
			if r, ok := g.results[actionID{w.Phase, w.Actions[i].Key}]; ok {
				out = append(out, r)
			}
		}
	}
	return out
}

// Result is what became of one action so far.
func (g *Progress) Result(phase gitops.Phase, k gitops.Key) (gitops.Result, bool) {
	r, ok := g.results[actionID{phase, k}]
	return r, ok
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
	Waiting []gitops.Waiting
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
	g.Failing, g.Waves, g.why = true, end, errs
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
	brings := coming(p)
	for i := range w.Actions {
		a := &w.Actions[i]
		result := g.results[actionID{w.Phase, a.Key}]
		switch {
		case notReady(result.Err) && (!errors.Is(result.Err, gitops.ErrNotServed) || brings()[groupKind{a.Key.Group, a.Key.Kind}]):
			again.Actions = append(again.Actions, *a)
			s.Waiting = append(s.Waiting, gitops.Waiting{Key: a.Key, Phase: w.Phase, Wave: w.Number, Health: gitops.Health{Code: gitops.Missing, Message: result.Err.Error()}})
		case result.Err != nil:
			s.Errors = append(s.Errors, result.Err)
		case g.lost[actionID{w.Phase, a.Key}]:
			again.Actions = append(again.Actions, anew(a))
			s.Waiting = append(s.Waiting, gitops.Waiting{Key: a.Key, Phase: w.Phase, Wave: w.Number, Health: gitops.Health{Code: gitops.Missing, Message: "it was deleted during the sync, and is applied again"}})
		case a.Desired == nil, a.Over, a.Verb == gitops.Skip && !a.Live.Deleting, g.unawaited[actionID{w.Phase, a.Key}]:
		default:
			now := ended(result, newest(live(a.Key), result))
			g.saw(a, w, now)
			s.object(a, w, now, more)
		}
	}
	if len(again.Actions) > 0 {
		s.Wave, s.Again = &again, true
	}
	return s
}

// saw keeps how far a hook has come: its result is what it ended with.
func (g *Progress) saw(a *gitops.Action, w *gitops.Wave, now *gitops.Live) {
	at := actionID{w.Phase, a.Key}
	result, ran := g.results[at]
	if !a.Hook || !ran || now == nil || result.Live == nil && result.Verb != gitops.Keep {
		return
	}
	result.Message = cmp.Or(now.Health.Message, string(now.Health.Code), result.Message)
	result.Live = now
	g.results[at] = result
}

// ended is the state that counts of an object: the newest one, but for a hook
// that was done, was let go and is being deleted since, such as a Job whose time
// to live is over. What it ended with stays.
func ended(r gitops.Result, now *gitops.Live) *gitops.Live {
	if !r.Hook || r.Live == nil || !over(r.Live.Health.Code) || now == nil || !now.Deleting || slices.Contains(now.Finalizers, gitops.FinalizerHook) {
		return now
	}
	last := *now
	last.Health, last.Deleting = r.Live.Health, false
	return &last
}

// Held are the hooks that are done and still have the finalizer that keeps
// them until then.
func (g *Progress) Held() []gitops.Result {
	var out []gitops.Result
	for _, r := range g.results {
		if r.Hook && r.Live != nil && over(r.Live.Health.Code) && slices.Contains(r.Live.Finalizers, gitops.FinalizerHook) {
			out = append(out, r)
		}
	}
	return out
}

// Released takes into account that a hook has lost its finalizer. It is done,
// also when somebody had deleted it before, so that it goes now.
func (g *Progress) Released(r gitops.Result, live *gitops.Live) {
	released := *live
	released.Health = r.Live.Health
	r.Live = &released
	g.results[actionID{r.Phase, r.Key}] = r
}

// over reports whether a hook of this health will not go on: one without a health
// check was done when it was made.
func over(code gitops.HealthCode) bool {
	return code != gitops.Progressing && code != gitops.Suspended && code != gitops.Missing
}

// coming finds the kinds whose definitions a plan has, when it is asked first:
// these are served in a moment.
func coming(p *gitops.Plan) func() map[groupKind]bool {
	return sync.OnceValue(func() map[groupKind]bool {
		kinds := map[groupKind]bool{}
		for _, w := range p.Waves {
			for i := range w.Actions {
				if a := &w.Actions[i]; a.Desired != nil && a.Key.IsDefinition() {
					kinds[definedBy(a.Desired.Object)] = true
				}
			}
		}
		return kinds
	})
}

func notReady(err error) bool {
	return gitops.IsProblem(err, gitops.NotReady)
}

// object adds what the health of one object means for the sync.
func (s *Step) object(a *gitops.Action, w *gitops.Wave, now *gitops.Live, more bool) {
	if now == nil && a.Verb == gitops.Skip {
		// It was being deleted and has gone: it can be created now.
		s.Replan = true
		return
	}
	if now == nil && a.Hook && a.Verb == gitops.Keep {
		return // it was started before, and has been taken away since
	}
	s.Replan = s.Replan || leaves(a, now) && a.Verb == gitops.Skip
	if !more && !a.Hook && a.Verb != gitops.Skip {
		return
	}
	wait := gitops.Waiting{Key: a.Key, Phase: w.Phase, Wave: w.Number, Health: healthOf(a, now)}
	code := wait.Health.Code
	if code == gitops.Healthy || code == "" {
		return
	}
	if ends(a, code) {
		s.Errors = append(s.Errors, degraded(a, wait))
		return
	}
	s.Waiting = append(s.Waiting, wait)
}

// ends reports whether waiting for an object of this health leads nowhere.
func ends(a *gitops.Action, code gitops.HealthCode) bool {
	return code == gitops.Degraded && !isApplication(a.Key) || code == gitops.HealthUnknown && a.Hook
}

// healthOf is how an object is for those that wait for it.
func healthOf(a *gitops.Action, now *gitops.Live) gitops.Health {
	switch {
	case now == nil:
		return gitops.Health{Code: gitops.Missing, Message: "it is not there"}
	case leaves(a, now):
		return gitops.Health{Code: gitops.Progressing, Message: deleting(now)}
	}
	return now.Health
}

// leaves reports whether an object is being deleted, and is not waited for as it is.
func leaves(a *gitops.Action, now *gitops.Live) bool {
	return now != nil && now.Deleting && !held(a, now)
}

// held reports whether a hook stays although somebody deleted it: its end is still
// waited for.
func held(a *gitops.Action, now *gitops.Live) bool {
	return a.Hook && slices.Contains(now.Finalizers, gitops.FinalizerHook)
}

func degraded(a *gitops.Action, w gitops.Waiting) error {
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

// failures are the errors that led to the SyncFail waves, those of objects and
// hooks that did not get healthy among them, and then those of all actions.
func (g *Progress) failures(p *gitops.Plan) []error {
	errs := slices.Clone(g.why)
	said := make(map[string]bool, len(errs)) // a text is made anew each time that it is asked for
	for _, err := range errs {
		said[err.Error()] = true
	}
	for _, r := range g.Results(p) {
		if r.Err == nil {
			continue
		}
		if text := r.Err.Error(); !said[text] {
			said[text] = true
			errs = append(errs, r.Err)
		}
	}
	return errs
}
