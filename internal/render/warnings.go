package render

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// placeholder is a parameter of an ApplicationSet that no generator gave; a
// template of Helm begins with a dot, a quote or a function with arguments.
var placeholder = regexp.MustCompile(`\{\{\s*([a-zA-Z][\w-]*(?:[./][\w./-]+)?)\s*\}\}`)

// templateWords may stand alone in a template.
var templateWords = map[string]bool{"end": true, "else": true, "break": true, "continue": true, "now": true, "uuidv4": true}

// mostPlaceholders are looked at in a source: one that has more has each of the first told.
const mostPlaceholders = 1000

// mostWarnings bounds the warnings of all sources of an application: each tells a hundred
// of one reason at most.
const mostWarnings = 10_000

// firstOf are the first warnings, with how many more there are.
func firstOf(all []gitops.Warning) []gitops.Warning {
	if len(all) <= mostWarnings {
		return all
	}
	more := 0
	for _, w := range all[mostWarnings-1:] {
		more += max(w.More, 1)
	}
	reason := all[mostWarnings-1].Reason
	return append(all[:mostWarnings-1:mostWarnings-1], gitops.Warning{Reason: reason, Message: gitops.More(more), More: more})
}

// unresolved warns of placeholders that are still in a source.
func unresolved(spec v1alpha1.ApplicationSource, at gitops.Origin) []gitops.Warning {
	text, err := json.Marshal(spec)
	if err != nil {
		return nil
	}
	var out gitops.Warnings
	seen := map[string]bool{}
	for _, m := range placeholder.FindAllSubmatch(text, mostPlaceholders) {
		name := string(m[1])
		if seen[name] || templateWords[name] {
			continue
		}
		seen[name] = true
		out.Add(gitops.Warning{
			Reason:  "UnresolvedParameter",
			Message: fmt.Sprintf("{{%s}} stands in the source as it is: no generator gave it a value, for example because a cluster lacks this label or annotation", name),
			Origin:  at,
		})
	}
	return out.List()
}
