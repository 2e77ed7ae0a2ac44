package cli

import (
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/internal/cli/live"
)

// stateLate is how a wait stands whose time is over.
const stateLate = "late"

// waited is how the wait for one application ended.
type waited struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	// Result is reached, failed or late.
	Result    string   `json:"result"`
	Sync      string   `json:"sync,omitempty"`
	Health    string   `json:"health,omitempty"`
	Operation string   `json:"operation,omitempty"`
	Revisions []string `json:"revisions,omitempty"`
	Message   string   `json:"message,omitempty"`
	Seconds   float64  `json:"seconds"`

	label, revision string
	took            time.Duration
}

// end ends the wait for those whose time is over.
func (w *waiting) end() {
	for _, one := range w.pending(everything) {
		one.state, one.ended = stateLate, w.now()
	}
}

func (w *waiting) results() []waited {
	out := make([]waited, 0, len(w.all))
	for _, one := range w.all {
		took := one.ended.Sub(one.begun)
		r := waited{
			Name: one.key.Name, Namespace: one.key.Namespace, Result: one.state, Message: one.why, Seconds: took.Round(time.Millisecond).Seconds(),
			label: one.name, revision: "-", took: took,
		}
		if one.app != nil {
			s := &one.app.Status
			if one.state == stateReached {
				r.Message = "" // the state says it
			}
			r.Sync, r.Health, r.revision = string(s.Sync.Status), string(s.Health.Status), shortRevision(one.app)
			r.Revisions = slices.DeleteFunc(append([]string{s.Sync.Revision}, s.Sync.Revisions...), func(r string) bool { return r == "" })
			if s.OperationState != nil {
				r.Operation = string(s.OperationState.Phase)
			}
		}
		out = append(out, r)
	}
	return out
}

// verdict is the error of a wait: that something failed counts more than that
// something is late.
func (w *waiting) verdict() error {
	var late error
	for _, one := range w.all {
		switch one.state {
		case stateFailed:
			return errSaid
		case stateLate:
			late = errLate
		}
	}
	return late
}

func (w *waitFlags) printResults(all []waited) error {
	if !tabular(w.output) {
		return printValue(w.Out, w.output, all)
	}
	if len(all) == 0 {
		return writeLines(w.Err, []string{"no application is there to wait for"})
	}
	return w.printTable(waitTable(all), w.output)
}

func waitTable(all []waited) table {
	t := table{keys: 1, whole: true, header: []string{"NAME", "RESULT", "SYNC", "HEALTH", "OPERATION", "REVISION", "AFTER", "WHY"}}
	for _, r := range all {
		t.rows = append(t.rows, []string{r.label, r.Result, dash(r.Sync), dash(r.Health), dash(r.Operation), r.revision, live.Seconds(r.took), r.Message})
	}
	return t
}
