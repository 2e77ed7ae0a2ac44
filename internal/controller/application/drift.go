package application

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
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
	for action := range actions(p) {
		if action.Sync == gitops.Synced || action.Desired == nil || action.Hook || action.Namespace {
			continue
		}
		if heals(action, false) {
			return true
		}
	}
	return false
}

// The bounds of what is told of drift.
const (
	maxDrifted        = 20
	maxDriftedPerItem = 8
)

// drifted are the conditions that tell who changed what, and what becomes of
// it, where somebody has written a policy. Elsewhere drift is told by the
// comparison alone, as in Argo CD: causeway diff and causeway why have the rest.
func drifted(p *gitops.Plan) []v1alpha1.ApplicationCondition {
	var out []v1alpha1.ApplicationCondition
	for action := range actions(p) {
		text := Drifted(ruled(action.Deviations), action.Untold)
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

// Drifted tells people who changed which fields of an object, and how many more
// fields differ; empty when it is Git alone that changed.
func Drifted(list []gitops.Deviation, untold int) string {
	text := strings.Join(gitops.Few(byWriter(list), maxDriftedPerItem), "; ")
	if text == "" || untold == 0 {
		return text
	}
	return text + "; " + gitops.More(untold) + " differ"
}

// byWriter joins the fields that one manager wrote at one time under one policy.
func byWriter(list []gitops.Deviation) []string {
	type writer struct {
		manager, operation string
		at                 time.Time
		policy             gitops.DriftPolicy
	}
	var order []writer
	fields := map[writer][]string{}
	for _, d := range list {
		if d.Ours || d.Manager == "" && d.Policy != gitops.DriftFreeze || d.Field == "" {
			continue
		}
		w := writer{d.Manager, d.Operation, d.Time, d.Policy}
		if _, ok := fields[w]; !ok {
			order = append(order, w)
		}
		fields[w] = append(fields[w], d.Field)
	}
	var out []string
	for _, w := range order {
		listed := gitops.Listed(fields[w], maxDriftedPerItem)
		text := "lacks " + listed
		if w.manager != "" {
			text = fmt.Sprintf("was changed by %s (%s)%s: %s", w.manager, w.operation, moment(w.at), listed)
		}
		out = append(out, text+outcomes[w.policy])
	}
	return out
}

// moment is a time in a sentence; managers of subresources may have none.
func moment(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return " at " + at.Format(time.RFC3339)
}

// outcomes are what becomes of drift that is not healed.
var outcomes = map[gitops.DriftPolicy]string{
	gitops.DriftFreeze: " (frozen: it stays so)",
	gitops.DriftShow:   " (shown only: a sync undoes it)",
}
