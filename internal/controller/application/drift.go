package application

import (
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// heals reports whether drift of an object is undone now. A policy that is
// written wins over selfHeal; one deviation to be undone is enough.
func heals(a *gitops.Action, selfHeal bool) bool {
	if a.Desired == nil && a.Live != nil && a.Live.Deleting {
		return false // to delete it once more undoes nothing
	}
	if len(a.Deviations) == 0 {
		return undoes(a.Drift.Policy, selfHeal)
	}
	return slices.ContainsFunc(a.Deviations, func(d gitops.Deviation) bool { return undoes(d.Policy, selfHeal) })
}

func undoes(p gitops.DriftPolicy, selfHeal bool) bool {
	switch p {
	case gitops.DriftHeal:
		return true
	case gitops.DriftShow, gitops.DriftFreeze:
		return false
	}
	return selfHeal
}

// asksToHeal reports whether a policy heals some object although selfHeal is off.
func asksToHeal(p *gitops.Plan) bool {
	for action := range p.All() {
		if action.Sync == gitops.Synced || action.Desired == nil || action.Hook || action.Namespace {
			continue
		}
		if heals(action, false) {
			return true
		}
	}
	return false
}

// maxDrifted bounds the objects whose drift is told.
const maxDrifted = 20

// drifted are the conditions that tell who changed what, and what becomes of
// it, where somebody has written a policy. Elsewhere drift is told by the
// comparison alone, as in Argo CD: causeway diff and causeway why have the rest.
func drifted(p *gitops.Plan) []v1alpha1.ApplicationCondition {
	var out []v1alpha1.ApplicationCondition
	for action := range p.All() {
		text := compare.Drifted(ruled(action.Deviations), action.Untold)
		if text == "" {
			continue
		}
		if len(out) == maxDrifted {
			out = append(out, v1alpha1.ApplicationCondition{Type: v1alpha1.ApplicationConditionDriftWarning, Message: "more objects have drifted: see causeway diff"})
			break
		}
		out = append(out, v1alpha1.ApplicationCondition{Type: v1alpha1.ApplicationConditionDriftWarning, Message: action.Key.String() + " " + text})
	}
	return out
}

// ruled are the deviations that a written policy is about.
func ruled(list []gitops.Deviation) []gitops.Deviation {
	return slices.DeleteFunc(slices.Clone(list), func(d gitops.Deviation) bool { return d.Policy == "" })
}
