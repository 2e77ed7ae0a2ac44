package plan

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Unseen are the actions of the wave that is waited for whose objects were
// there and that live does not show. Either what is known of the cluster lags
// behind, or somebody has deleted them since: only the API server can tell.
func (g *Progress) Unseen(p *gitops.Plan, live func(gitops.Key) *gitops.Live) []gitops.Action {
	if g.Waves == 0 {
		return nil
	}
	w, more := &p.Waves[g.Waves-1], g.Waves <= lastOrdinary(p)
	var out []gitops.Action
	for i := range w.Actions {
		a := &w.Actions[i]
		if g.awaited(a, w, more) && live(a.Key) == nil {
			out = append(out, *a)
		}
	}
	return out
}

// awaited reports whether an object was there after its action, and is to stay
// until its wave is over.
func (g *Progress) awaited(a *gitops.Action, w *gitops.Wave, more bool) bool {
	at := actionID{w.Phase, a.Key}
	r, ok := g.results[at]
	switch {
	case !ok, g.unawaited[at], r.Err != nil, r.Live == nil, a.Desired == nil, a.Over, a.Verb == gitops.Skip:
		return false
	case a.Hook:
		return !over(r.Live.Health.Code)
	}
	return more
}

// Lost takes into account that an object of Unseen is not there any more. It
// is applied again before the next wave. A hook is not: nobody knows how far
// it came, so that its sync fails, and a retry decides. Nor is a Job that is
// collected when it is done: it was done.
func (g *Progress) Lost(p *gitops.Plan, a *gitops.Action) {
	w := &p.Waves[g.Waves-1]
	at := actionID{w.Phase, a.Key}
	r := g.results[at]
	r.Live = nil
	switch {
	case r.Hook:
		r.Err = gitops.Problemf(gitops.NotFound, "hook %s of %s was deleted before it was done", a.Key, r.Phase)
		r.Message = r.Err.Error()
	case Expires(a):
		g.unawaited = marked(g.unawaited, at)
	default:
		g.lost = marked(g.lost, at)
	}
	g.results[at] = r
}

// Forgo has nothing wait for an object of Unseen any more: nobody may ask for it.
func (g *Progress) Forgo(p *gitops.Plan, a *gitops.Action) {
	g.unawaited = marked(g.unawaited, actionID{p.Waves[g.Waves-1].Phase, a.Key})
}

func marked(set map[actionID]bool, at actionID) map[actionID]bool {
	if set == nil {
		set = map[actionID]bool{}
	}
	set[at] = true
	return set
}

// Expires reports whether an object goes by itself when it is done: a Job with a
// time to live. To make it again would run it again.
func Expires(a *gitops.Action) bool {
	if a.Hook || a.Desired == nil || a.Key.Group != "batch" || a.Key.Kind != "Job" {
		return false
	}
	_, set, _ := unstructured.NestedFieldNoCopy(a.Desired.Object.Object, "spec", "ttlSecondsAfterFinished")
	return set
}

// anew is the action that makes an object again that was lost.
func anew(a *gitops.Action) gitops.Action {
	again := *a
	again.Verb, again.Live, again.Suspect, again.Recreate = gitops.Create, nil, false, false
	again.Reason = "it was deleted during the sync"
	return again
}
