package compare

import (
	"fmt"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// maxDrifted bounds the fields and the writers that are told of one object.
const maxDrifted = 8

// Drifted tells people who changed which fields of an object, and how many more
// fields differ; empty when it is Git alone that changed.
func Drifted(list []gitops.Deviation, untold int) string {
	text := strings.Join(gitops.Few(byWriter(list), maxDrifted), "; ")
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
		listed := gitops.Listed(fields[w], maxDrifted)
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
