package plan

import "github.com/causeway-gitops/causeway/internal/gitops"

// LeaveOutSynced takes what is as desired out of a plan, as
// ApplyOutOfSyncOnly=true asks: it is not sent, stands in no result, and no
// wave waits for its health. begun tells what this sync has sent before, which
// stays in. Hooks stay, and so does what has to go before it can be made anew.
func LeaveOutSynced(p *gitops.Plan, begun func(gitops.Key) bool) {
	var waves []gitops.Wave
	for _, w := range p.Waves {
		var left []gitops.Action
		for _, a := range w.Actions {
			if !asDesired(&a) || begun(a.Key) {
				left = append(left, a)
			}
		}
		if len(left) > 0 {
			w.Actions = left
			waves = append(waves, w)
		}
	}
	p.Waves = waves
}

func asDesired(a *gitops.Action) bool {
	return a.Sync == gitops.Synced && (a.Verb == gitops.Keep || a.Verb == gitops.Update) && !a.Hook && !a.Namespace && a.Desired != nil && a.Fault == nil
}
