package policy

import (
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// WindowState is what one sync window says of an application at an instant.
type WindowState struct {
	// Index in spec.syncWindows.
	Index int
	// Open tells that it is active.
	Open bool
	// Changes is when it opens or closes next; zero when that is never.
	Changes time.Time
	// Note is what cannot be meant so, or is easily overlooked; may be empty.
	Note string
}

// Agenda lists the windows that concern an application.
func Agenda(p *v1alpha1.AppProject, app *v1alpha1.Application, now time.Time) []WindowState {
	var out []WindowState
	for _, i := range WindowsFor(p, app) {
		state := WindowState{Index: i}
		if err := doubtful(p, i); err != nil {
			state.Note = err.Error()
		}
		if h, err := parseHours(p.Spec.SyncWindows[i]); err == nil {
			state.Open, state.Changes = h.open(now), h.turn(now)
			if state.Note == "" && h.always {
				state.Note = "it never closes: its duration is not shorter than the time between two openings"
			}
		}
		out = append(out, state)
	}
	return out
}

// turn is when open says something else than now; zero when that is not in sight.
func (h hours) turn(now time.Time) time.Time {
	was := h.open(now)
	for range maxEdges {
		edge := h.edge(now)
		if edge.IsZero() {
			return edge
		}
		if now = edge.Add(after); h.open(now) != was {
			return edge
		}
	}
	return time.Time{}
}
