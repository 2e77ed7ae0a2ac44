package plan

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// misread warns of waves that are no numbers, and of hooks and delete policies
// that do not exist. They count as in Argo CD, which says nothing.
func (s *Set) misread(annotations map[string]string, of string, at gitops.Origin) {
	for _, text := range misreadings(annotations) {
		s.Warnings = append(s.Warnings, gitops.Warning{
			Reason: v1alpha1.ApplicationConditionIneffectiveOptionWarning, Message: of + ": " + text, Origin: at,
		})
	}
}

func misreadings(annotations map[string]string) []string {
	var out []string
	if text, ok := annotations[gitops.AnnotationWave]; ok {
		if _, err := strconv.Atoi(text); err != nil {
			out = append(out, fmt.Sprintf("the sync wave %q is not a whole number: wave %d is taken", text, WaveOf(annotations)))
		}
	}
	if text, ok := annotations[gitops.AnnotationHook]; ok {
		effect := "it has no effect"
		if h := ParseHook(annotations); h.Ignored {
			effect = "the object is not applied"
		}
		out = append(out, unknown("hook", text, hookNames, effect)...)
	}
	if text, ok := annotations[gitops.AnnotationHookDelete]; ok {
		out = append(out, unknown("hook delete policy", text, policyNames, "it has no effect")...)
	}
	if text, ok := annotations[gitops.AnnotationCompare]; ok {
		out = append(out, unknown("compare option", text, compareNames, "it has no effect")...)
	}
	return out
}

var (
	compareNames = []string{"IgnoreExtraneous", "IncludeMutationWebhook=true", "IncludeMutationWebhook=false", "ServerSideDiff=true", "ServerSideDiff=false"}
	hookNames    = append(slices.Sorted(maps.Keys(argoTypes)), string(gitops.PreDelete), string(gitops.PostDelete))
	policyNames  = slices.Sorted(maps.Keys(argoPolicies))
)

func unknown(what, list string, known []string, effect string) []string {
	var out []string
	for _, word := range words(list) {
		if !slices.Contains(known, word) {
			out = append(out, fmt.Sprintf("there is no %s %q: %s%s", what, word, effect, gitops.DidYouMean(word, known)))
		}
	}
	return out
}
