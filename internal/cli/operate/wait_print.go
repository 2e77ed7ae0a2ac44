package operate

import (
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/cli/table"
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
			r.Sync, r.Health, r.revision = string(s.Sync.Status), string(s.Health.Status), table.ShortRevision(one.app)
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
			return command.ErrSaid
		case stateLate:
			late = command.ErrLate
		}
	}
	return late
}

func (w *waitFlags) printResults(all []waited) error {
	if !table.Tabular(w.output) {
		return table.PrintValue(w.Out, w.output, all)
	}
	if len(all) == 0 {
		return table.WriteLines(w.Err, []string{"no application is there to wait for"})
	}
	return table.Print(w.Global, waitTable(all), w.output)
}

func waitTable(all []waited) table.Table {
	t := table.Table{Keys: 1, Whole: true, Header: []string{"NAME", "RESULT", "SYNC", "HEALTH", "OPERATION", "REVISION", "AFTER", "WHY"}}
	for _, r := range all {
		t.Rows = append(t.Rows, []string{r.label, r.Result, table.Dash(r.Sync), table.Dash(r.Health), table.Dash(r.Operation), r.revision, live.Seconds(r.took), r.Message})
	}
	return t
}
