package history

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// State is how far a commit has come on an application.
type State string

// The states of a step.
const (
	// StepFailed: a stage failed, and somebody has to look.
	StepFailed State = "failed"
	// StepWaiting: it is planned, and nothing has begun to apply it.
	StepWaiting State = "waiting"
	// StepRunning: it is being applied.
	StepRunning State = "running"
	// StepApplied: it is in the cluster, and not healthy yet.
	StepApplied State = "applied"
	// StepHealthy: it is in the cluster, and the application was healthy after it.
	StepHealthy State = "healthy"
	// StepSuperseded: a newer commit took its place before it was whole.
	StepSuperseded State = "superseded"
)

// Stage is a part of the way of a commit.
type Stage string

// The stages, in their order.
const (
	Fetched  Stage = "fetched"
	Rendered Stage = "rendered"
	Planned  Stage = "planned"
	Applied  Stage = "applied"
	Healthy  Stage = "healthy"
)

// Passes are the ends of the first stages of a reconcile; zero where one was
// not reached.
type Passes struct {
	Began    time.Time `json:"began,omitzero"`
	Fetched  time.Time `json:"fetched,omitzero"`
	Rendered time.Time `json:"rendered,omitzero"`
	Planned  time.Time `json:"planned,omitzero"`
}

// Step is how far commits have come on one application.
type Step struct {
	App     App
	Project string
	Cluster string
	// Commits have one entry a source; those without a date are no commits.
	Commits []Commit
	Passes  Passes
	State   State
	// Stage is the one that failed, or is waited for.
	Stage   Stage
	Sync    string
	Started time.Time
	Applied time.Time
	Healthy time.Time
	At      time.Time
	Object  *gitops.Key
	Message string
}

// MostMessage bounds what is kept of a message.
const MostMessage = 2048

// RepoID names a repository in addresses of pages, however it is written.
func RepoID(url string) string {
	sum := sha256.Sum256([]byte(strings.TrimSuffix(strings.TrimRight(strings.ToLower(strings.TrimSpace(url)), "/"), ".git")))
	return hex.EncodeToString(sum[:8])
}

// IsCommit tells a commit from a chart's version.
func (c *Commit) IsCommit() bool { return c.Revision != "" && c.RepoURL != "" && !c.Date.IsZero() }

// Shown is a commit with no more of its author and subject than is shown.
func (c Commit) Shown() Commit {
	c.Author, c.Subject = gitops.First(c.Author, gitops.MostCommitText), gitops.First(c.Subject, gitops.MostCommitText)
	return c
}

// StepOf is what a sync says of its commits; nil where it brings none: drift is
// undone at a commit that was there already, and who goes back leaves the
// commits of then as they were.
func StepOf(s *Sync, now time.Time) *Step {
	if s.DryRun || s.Cause == Heal || s.Cause == Rollback || s.Cause == AutomaticRollback {
		return nil
	}
	out := &Step{
		App: s.App, Project: s.Project, Cluster: s.Cluster, Commits: s.Commits, Passes: s.Passes,
		Sync: s.ID, Started: s.Started, At: now, State: StepRunning, Stage: Applied,
	}
	for i := range s.Waves {
		if w := &s.Waves[i]; w.Applied.After(out.Applied) {
			out.Applied = w.Applied
		}
	}
	switch s.Phase {
	case PhaseSucceeded:
		out.succeeded(s)
	case "Failed", "Error":
		out.State, out.Message = StepFailed, s.Message
		out.Object, out.Message = s.culprit()
	case "Superseded":
		out.State = StepSuperseded
	default:
		out.Message = s.Message
	}
	return out
}

func (st *Step) succeeded(s *Sync) {
	st.State, st.Stage = StepApplied, Healthy
	if st.Applied.IsZero() {
		st.Applied = s.Finished
	}
	if s.Health == gitops.Healthy {
		st.State, st.Stage, st.Healthy = StepHealthy, "", s.Finished
	}
}

// culprit is the object that a failed sync failed at: one that was refused,
// else one that did not get healthy; with why.
func (s *Sync) culprit() (*gitops.Key, string) {
	for i := len(s.Waves) - 1; i >= 0; i-- {
		for j := range s.Waves[i].Objects {
			if o := &s.Waves[i].Objects[j]; o.Failed() {
				key := o.Key()
				return &key, o.Message
			}
		}
	}
	for i := len(s.Waves) - 1; i >= 0; i-- {
		// What the last try found as it was before, an earlier one tells of.
		w, end := &s.Waves[i], &s.Waves[len(s.Waves)-1]
		if w.Phase != end.Phase || w.Number != end.Number {
			continue
		}
		for j := range w.Objects {
			if o := &w.Objects[j]; o.Healthy.IsZero() && o.Status != "Pruned" {
				key := o.Key()
				return &key, s.Message
			}
		}
	}
	return nil, s.Message
}
