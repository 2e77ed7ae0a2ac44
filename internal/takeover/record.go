package takeover

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Names of what a takeover leaves behind in the hub, so that it can be gone on
// with or taken back by whoever comes next.
const (
	// RecordName is the ConfigMap of the record.
	RecordName = "causeway-takeover"
	// AnnotationReplicas of a workload is how many replicas it had before it
	// was scaled to 0.
	AnnotationReplicas = gitops.OwnPrefix + "takeover-replicas"
)

// Stage is how far a takeover is.
type Stage string

// The stages. None is before the first.
const (
	None      Stage = ""
	Adopting  Stage = "adopting"
	Adopted   Stage = "adopted"
	Reverting Stage = "reverting"
	Reverted  Stage = "reverted"
)

// Record is what has to outlive the command that takes over.
type Record struct {
	Stage Stage
	// Begun is when the takeover began. Applications that are newer have no
	// state of before.
	Begun time.Time
	// Expected are the worst states that applications may have afterwards, by
	// tracking name. Those that are not named have to be Good.
	Expected map[string]State
}

// maxRecord is how much a ConfigMap takes, with room for the rest of it.
const maxRecord = 900 << 10

// The keys of the ConfigMap.
const (
	keyStage    = "stage"
	keyBegun    = "begun"
	keyExpected = "applications"
)

// NewRecord is that of a takeover that begins.
func NewRecord(all []Comparison, now time.Time) *Record {
	r := &Record{Stage: Adopting, Begun: now.UTC().Truncate(time.Second), Expected: map[string]State{}}
	for i := range all {
		if s := all[i].Expected(); s != Good {
			r.Expected[all[i].Name] = s
		}
	}
	return r
}

// Data is the content of the ConfigMap.
func (r *Record) Data() (map[string]string, error) {
	text, err := json.Marshal(r.Expected)
	if err != nil {
		return nil, fmt.Errorf("cannot write down the state of the applications: %w", err)
	}
	if len(text) > maxRecord {
		return nil, gitops.Problemf(gitops.Invalid, "cannot write down the state of the applications: %d of them are not Synced and Healthy", len(r.Expected)).
			Do("mend some of them first")
	}
	return map[string]string{keyStage: string(r.Stage), keyBegun: r.Begun.Format(time.RFC3339), keyExpected: string(text)}, nil
}

// ParseRecord reads the content of the ConfigMap; that of none is a record at
// the stage None.
func ParseRecord(data map[string]string) (*Record, error) {
	r := &Record{Stage: Stage(data[keyStage]), Expected: map[string]State{}}
	if r.Stage == None {
		return r, nil
	}
	var err error
	if r.Begun, err = time.Parse(time.RFC3339, data[keyBegun]); err == nil {
		err = json.Unmarshal([]byte(data[keyExpected]), &r.Expected)
	}
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read ConfigMap %s: %w", RecordName, err).Do("delete it when no takeover is under way, or correct it")
	}
	return r, nil
}
