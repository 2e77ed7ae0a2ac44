package plan

import "github.com/causeway-gitops/causeway/internal/gitops"

// Leftovers are the deletions at the end of a sync of the hooks with a delete policy.
func Leftovers(p *gitops.Plan, g *Progress, policy DeletePolicy) []gitops.Action {
	var out []gitops.Action
	for _, w := range p.Waves {
		for i := range w.Actions {
			a := w.Actions[i]
			result, ran := g.results[actionID{w.Phase, a.Key}]
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
