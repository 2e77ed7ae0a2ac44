package batch

import (
	"time"

	"github.com/causeway-gitops/causeway/internal/server/view"
)

// State of a batch.
type State string

// The states. A batch that is not Running stays as it is.
const (
	Running State = "running"
	// Done: each was tried.
	Done State = "done"
	// Canceled: somebody ended it, and the rest was not tried.
	Canceled State = "canceled"
	// Interrupted: the server was shut down, and the rest was not tried.
	Interrupted State = "interrupted"
)

// Stage is how far one of many is.
type Stage string

// The stages.
const (
	Waiting Stage = "waiting"
	Working Stage = "working"
	Asked   Stage = "asked"
	Failed  Stage = "failed"
	// Skipped: the batch ended before it was tried.
	Skipped Stage = "skipped"
)

// Batch is one as it is at a moment.
type Batch struct {
	ID      string    `json:"id"`
	Verb    string    `json:"verb" enum:"sync,rollback,refresh"`
	State   State     `json:"state" enum:"running,done,canceled,interrupted"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`
	Counts  Counts    `json:"counts"`
	Results []Result  `json:"results,omitempty" doc:"One for each application, in the order in which they were named."`
}

// Counts are how many are at which stage.
type Counts struct {
	Total   int `json:"total"`
	Asked   int `json:"asked" doc:"The engine was asked for it."`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped" doc:"Not tried, as it ended before."`
	Left    int `json:"left" doc:"Yet to be tried."`
}

// Result is what became of one.
type Result struct {
	view.Key

	Stage Stage  `json:"stage" enum:"waiting,working,asked,failed,skipped"`
	Mark  string `json:"mark,omitempty" doc:"Of the operation that was begun by it: the application's operation bears it."`
	Error string `json:"error,omitempty" doc:"Why it failed, and what to do."`
}

// count reads the results.
func (b *Batch) count() {
	c := Counts{Total: len(b.Results)}
	for i := range b.Results {
		switch b.Results[i].Stage {
		case Asked:
			c.Asked++
		case Failed:
			c.Failed++
		case Skipped:
			c.Skipped++
		case Waiting, Working:
			c.Left++
		}
	}
	b.Counts = c
}
