package plan

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Helm's annotations that a sync understands.
const (
	helmHook           = "helm.sh/hook"
	helmHookWeight     = "helm.sh/hook-weight"
	helmHookDelete     = "helm.sh/hook-delete-policy"
	helmResourcePolicy = "helm.sh/resource-policy"
)

// DeletePolicy tells when a hook's object is deleted.
type DeletePolicy string

// The delete policies of hooks.
const (
	HookSucceeded      DeletePolicy = "HookSucceeded"
	HookFailed         DeletePolicy = "HookFailed"
	BeforeHookCreation DeletePolicy = "BeforeHookCreation"
)

const hookSkip gitops.Phase = "Skip"

// Hook is what the hook annotations of one object say. Rules: the suite
// conformance/order, 04-hook-parsing.
type Hook struct {
	// Is tells that the object is a hook: not part of the application's state.
	Is bool
	// Skipped objects are never applied.
	Skipped bool
	// Ignored tells that the object is a hook of no phase of a sync.
	Ignored bool
	// Types as written, Skip included; they may repeat for Helm hooks.
	Types []gitops.Phase
	// Phases in which the object is applied; Sync for an object that is no hook.
	Phases   []gitops.Phase
	Policies []DeletePolicy
}

var (
	argoTypes = map[string]gitops.Phase{
		"PreSync": gitops.PreSync, "Sync": gitops.Sync, "PostSync": gitops.PostSync, "SyncFail": gitops.SyncFail, "Skip": hookSkip,
	}
	helmTypes = map[string]gitops.Phase{
		"pre-install": gitops.PreSync, "pre-upgrade": gitops.PreSync, "post-install": gitops.PostSync, "post-upgrade": gitops.PostSync,
	}
	argoPolicies = map[string]DeletePolicy{
		"HookSucceeded": HookSucceeded, "HookFailed": HookFailed, "BeforeHookCreation": BeforeHookCreation,
	}
	helmPolicies = map[string]DeletePolicy{
		"hook-succeeded": HookSucceeded, "hook-failed": HookFailed, "before-hook-creation": BeforeHookCreation,
	}
)

// ParseHook reads the hook annotations of an object, Argo CD's and Helm's.
func ParseHook(annotations map[string]string) Hook {
	h := Hook{Policies: policies(annotations)}
	h.Types = hookTypes(annotations)
	h.Skipped = len(h.Types) > 0 && !slices.ContainsFunc(h.Types, func(t gitops.Phase) bool { return t != hookSkip })
	h.Is = !h.Skipped && hasHook(annotations)
	for _, t := range h.Types {
		if t != hookSkip && !slices.Contains(h.Phases, t) {
			h.Phases = append(h.Phases, t)
		}
	}
	h.Ignored = h.Is && len(h.Phases) == 0
	if !h.Is && !h.Skipped {
		h.Phases = []gitops.Phase{gitops.Sync}
	}
	return h
}

// hasHook reports whether a hook annotation counts: crd-install alone, of
// Helm 2, makes an ordinary object.
func hasHook(annotations map[string]string) bool {
	if _, ok := annotations[gitops.AnnotationHook]; ok {
		return true
	}
	value, ok := annotations[helmHook]
	return ok && value != "crd-install"
}

// hookTypes falls back to Helm's types when Argo CD's annotation has no known one.
func hookTypes(annotations map[string]string) []gitops.Phase {
	var types []gitops.Phase
	for word := range words(annotations[gitops.AnnotationHook]) {
		if t, ok := argoTypes[word]; ok && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	if len(types) > 0 {
		return types
	}
	for word := range words(annotations[helmHook]) {
		if t, ok := helmTypes[word]; ok {
			types = append(types, t)
		}
	}
	return types
}

func policies(annotations map[string]string) []DeletePolicy {
	found := append(
		lookUp(words(annotations[gitops.AnnotationHookDelete]), argoPolicies),
		lookUp(words(annotations[helmHookDelete]), helmPolicies)...)
	if len(found) == 0 {
		return []DeletePolicy{BeforeHookCreation}
	}
	return found
}

func lookUp(names iter.Seq[string], known map[string]DeletePolicy) []DeletePolicy {
	var found []DeletePolicy
	for name := range names {
		if p, ok := known[name]; ok && !slices.Contains(found, p) {
			found = append(found, p)
		}
	}
	return found
}

// WaveOf returns the sync wave: the annotation when it is a whole number,
// else Helm's hook weight, else 0.
func WaveOf(annotations map[string]string) int {
	for _, name := range []string{gitops.AnnotationWave, helmHookWeight} {
		if n, err := strconv.Atoi(annotations[name]); err == nil {
			return n
		}
	}
	return 0
}

// words splits a comma-separated annotation; empty words are left out, and one that
// is too long has none: only its beginning is there. They are never all in memory.
func words(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if len(s) > gitops.MaxSteering {
			return
		}
		for word := range strings.SplitSeq(s, ",") {
			if word = strings.TrimSpace(word); word != "" && !yield(word) {
				return
			}
		}
	}
}

func hasWord(list, wanted string) bool {
	for word := range words(list) {
		if word == wanted {
			return true
		}
	}
	return false
}
