package history

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Cause says why a sync ran.
type Cause string

// The causes of a sync.
const (
	// Automated: Git had something new.
	Automated Cause = "automated"
	// Heal: live objects had drifted.
	Heal Cause = "heal"
	// Requested by a person or a tool.
	Requested Cause = "requested"
	// Rollback to an earlier sync, requested.
	Rollback Cause = "rollback"
	// AutomaticRollback of an atomic sync that failed.
	AutomaticRollback Cause = "automatic rollback"
)

// App identifies an Application. One that is made again under the same name
// has another UID, and a history of its own.
type App struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

// Sync is one operation from its start to its end.
type Sync struct {
	// ID is 32 hexadecimal digits: also the trace id.
	ID      string `json:"id"`
	App     App    `json:"app"`
	Project string `json:"project,omitempty"`
	Cluster string `json:"cluster,omitempty"`
	Server  string `json:"server,omitempty"`
	Cause   Cause  `json:"cause"`
	// By is who asked; empty when nobody did.
	By     string `json:"by,omitempty"`
	DryRun bool   `json:"dryRun,omitempty"`
	// Of is the sync that a rollback goes back to.
	Of string `json:"of,omitempty"`

	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished,omitzero"`
	// Phase and Message are those of the operation's state.
	Phase   string `json:"phase"`
	Message string `json:"message,omitempty"`
	// Retries counts the tries after the first.
	Retries int64 `json:"retries,omitempty"`
	// History is the id in the Application's status.history, from 0; nil when
	// the sync is not in it.
	History *int64 `json:"history,omitempty"`

	// Sources as the Application has them, in its own words, for a rollback.
	Sources json.RawMessage `json:"sources,omitempty"`
	// Commits have one entry a source.
	Commits []Commit `json:"commits,omitempty"`
	// Rendering names the manifests; see Store.Manifests.
	Rendering string `json:"rendering,omitempty"`
	// Origin is where the manifests came from; nil where that is not known, as in
	// what engines wrote that did not note it. It is kept, and shown to nobody.
	Origin *Origin `json:"-"`
	// Request is by which request it was asked for under a seal; empty for any other.
	// It is kept, and shown to nobody.
	Request string `json:"-"`
	Changed Counts `json:"changed"`
	Waves   []Wave `json:"waves,omitempty"`
	// LeftOut are so many tries after the first, of which Waves have only what no later
	// try has.
	LeftOut int64 `json:"leftOut,omitempty"`
	// Omitted counts the objects that were too many for Waves: none of these tells of them.
	Omitted Counts `json:"omitted,omitzero"`
	// Passes are those of the reconcile that planned it.
	Passes Passes `json:"passes,omitzero"`
	// Health of the application when this was written.
	Health gitops.HealthCode `json:"health,omitempty"`
}

// Origin tells where manifests came from, besides from Sources: a project of
// another day may not permit that.
type Origin struct {
	// Brought tells that an operation brought them: they are in no source.
	Brought bool `json:"brought,omitempty"`
	// Besides are what else was read: remote bases, and dependencies of charts.
	Besides []Beside `json:"besides,omitempty"`
}

// Beside is a repository that was read besides the sources.
type Beside struct {
	RepoURL string `json:"repoURL"`
	Chart   string `json:"chart,omitempty"`
	// Open tells that it was read as everybody may read it, without the project's
	// credential.
	Open bool `json:"open,omitempty"`
}

// SyncPlace is where a sync stands in the list of its application's.
type SyncPlace struct {
	Started time.Time
	ID      string
}

// PhaseSucceeded is the phase of an operation that is over, and well.
const PhaseSucceeded = "Succeeded"

// Succeeded reports whether the sync is over, and well.
func (s *Sync) Succeeded() bool { return s.Phase == PhaseSucceeded }

// Counts tell what a sync changed.
type Counts struct {
	Created int `json:"created,omitempty"`
	Changed int `json:"changed,omitempty"`
	Pruned  int `json:"pruned,omitempty"`
	Failed  int `json:"failed,omitempty"`
	Total   int `json:"total,omitempty"`
}

// Wave is one wave of a sync.
type Wave struct {
	Phase  gitops.Phase `json:"phase"`
	Number int          `json:"number"`
	// Try counts from 0: a sync that is retried has a wave once a try.
	Try     int64     `json:"try,omitempty"`
	Started time.Time `json:"started"`
	// Applied is when the last answer of the API server came.
	Applied time.Time `json:"applied,omitzero"`
	// Ended is when the wave was healthy, or given up.
	Ended   time.Time `json:"ended,omitzero"`
	Objects []Object  `json:"objects,omitempty"`
	// Unchanged are so many objects besides, which an earlier try tells of: this one
	// found them as they should be.
	Unchanged int `json:"unchanged,omitempty"`
	// Repeated are so many objects besides, which a later wave tells of: there were too many.
	Repeated int `json:"repeated,omitempty"`
}

// Object is what became of one object of a wave.
type Object struct {
	Group     string        `json:"group,omitempty"`
	Kind      string        `json:"kind"`
	Namespace string        `json:"namespace,omitempty"`
	Name      string        `json:"name"`
	Verb      gitops.Verb   `json:"verb"`
	Hook      bool          `json:"hook,omitempty"`
	Status    string        `json:"status,omitempty"`
	Message   string        `json:"message,omitempty"`
	Started   time.Time     `json:"started,omitzero"`
	Took      time.Duration `json:"took,omitempty"` // nanoseconds
	// Pruned tells that the sync deleted it, whatever became of it after.
	Pruned bool `json:"pruned,omitempty"`
	// Healthy is when it was first seen healthy after it was applied.
	Healthy time.Time `json:"healthy,omitzero"`
}

// Key returns the object's key.
func (o Object) Key() gitops.Key {
	return gitops.Key{Group: o.Group, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
}

// Change is a change of health. An empty Kind is the application itself.
type Change struct {
	At        time.Time         `json:"at"`
	Group     string            `json:"group,omitempty"`
	Kind      string            `json:"kind,omitempty"`
	Namespace string            `json:"namespace,omitempty"`
	Name      string            `json:"name,omitempty"`
	From      gitops.HealthCode `json:"from,omitempty"`
	To        gitops.HealthCode `json:"to,omitempty"`
	Message   string            `json:"message,omitempty"`
}

// ID names the sync of an application that started at a time. It is the same
// in an engine that starts again in the middle of it.
func ID(uid string, started time.Time) string {
	sum := sha256.Sum256([]byte(uid + "\x00" + strconv.FormatInt(started.Unix(), 10)))
	return hex.EncodeToString(sum[:16])
}

// Outcome is what became of an object, in the word that its message begins
// with; what comes after it is a remark.
func (o *Object) Outcome() string {
	word, _, _ := strings.Cut(cmp.Or(o.Message, o.Status), ";")
	return word
}

// Count sums up what became of the objects. Of an object that several tries
// had, the last counts.
func (s *Sync) Count() Counts {
	last := map[gitops.Key]*Object{}
	for i := range s.Waves {
		for j := range s.Waves[i].Objects {
			o := &s.Waves[i].Objects[j]
			last[o.Key()] = o
		}
	}
	c := s.Omitted
	for _, o := range last {
		c.add(o)
	}
	return c
}

// add counts what became of one more object.
func (c *Counts) add(o *Object) {
	c.Total++
	switch {
	case o.Status == statusFailed:
		c.Failed++
	case o.Status == "Pruned":
		c.Pruned++
	case o.Outcome() == gitops.Created:
		c.Created++
	case o.Outcome() == gitops.Configured:
		c.Changed++
	}
}

// statusFailed is the status of an object that was refused.
const statusFailed = "SyncFailed"

// Failed reports whether the object was refused.
func (o *Object) Failed() bool { return o.Status == statusFailed }
