package rollout

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Entry is how far an Application is in a roll-out, as the set's status has it.
type Entry = v1alpha1.ApplicationSetApplicationStatus

// App is an Application that the set generates, as far as it counts here.
type App struct {
	Name string
	// Labels as they are generated: they select the step.
	Labels map[string]string
	// Exists tells that the Application is there and stays.
	Exists bool
	// Changed tells that its spec is written anew in this pass.
	Changed bool
	// Fresh tells that it was compared with its newest spec. What else is
	// told of one that was not is of no use.
	Fresh bool
	// Revisions that it was compared with, one a source.
	Revisions []string
	// Seen are its sources with the revisions that it was last known to be compared
	// with, which may be newer than those that its status has.
	Seen []Seen
	// Synced and Healthy are what was found.
	Synced  bool
	Healthy bool
	// Due tells that a sync of these revisions of these sources has not been
	// tried yet, and that there is something to sync.
	Due bool
	// Drifted tells that it differs from a revision that was synced, and that
	// this is to be undone now.
	Drifted bool
	// Busy tells that a sync is asked for or runs.
	Busy bool
	// Held is what a sync waits for that has not written anything yet, such as
	// an open sync window.
	Held string
	// Ours tells that the latest sync was asked for by a roll-out, Started when it began.
	Ours    bool
	Started time.Time
	// Failure is what its latest sync failed for, or what keeps it from being compared.
	Failure string
}

// Input is all that a decision is made of.
type Input struct {
	Steps []v1alpha1.ApplicationSetRolloutStep
	// Apps that the set generates now.
	Apps []App
	// Before is the set's status.applicationStatus.
	Before []Entry
	// Paused lets nothing begin.
	Paused bool
	Now    time.Time
}

// Decision is what is so now.
type Decision struct {
	// Entries are the new status.applicationStatus, by step and name.
	Entries []Entry
	// Sync are the Applications whose sync is to be asked for.
	Sync []string
	// Step is the first one that is not complete, counted from 1; 0 when all are.
	Step int
	// Holding are the Applications that this step waits for.
	Holding []string
}

// Advance moves each Application as far as it may go.
func Advance(in Input) Decision {
	r := newRound(in)
	for i := range r.apps {
		r.apps[i].entry = r.apps[i].seen(in.Now)
	}
	r.promote()
	return r.decision()
}

// round is one pass over the Applications, by step and name.
type round struct {
	Input

	apps []rolling
}

type rolling struct {
	App

	step  int
	at    int  // its place among all
	known bool // has an entry from before
	entry Entry
}

func newRound(in Input) *round {
	before := make(map[string]Entry, len(in.Before))
	for _, e := range in.Before {
		before[e.Application] = e
	}
	r := &round{Input: in}
	for _, a := range in.Apps {
		entry, known := before[a.Name]
		r.apps = append(r.apps, rolling{App: a, step: StepOf(in.Steps, a.Labels), known: known, entry: entry})
	}
	slices.SortFunc(r.apps, func(a, b rolling) int {
		return cmp.Or(cmp.Compare(uint(a.step), uint(b.step)), cmp.Compare(a.Name, b.Name)) // Unmatched sorts last
	})
	for i := range r.apps {
		r.apps[i].at = i
	}
	return r
}

// seen is the entry after what is found of the Application.
func (a *rolling) seen(now time.Time) Entry {
	e := a.entry
	if !a.known {
		e = Entry{Application: a.Name, TargetRevisions: []string{}}
		a.moveTo(&e, v1alpha1.ProgressiveSyncWaiting, "it is new", now)
	}
	e.Step = strconv.Itoa(a.step)
	if why := a.anew(&e); why != "" {
		a.moveTo(&e, v1alpha1.ProgressiveSyncWaiting, why, now)
	}
	if a.Fresh {
		e.TargetRevisions = slices.Concat([]string{}, a.Revisions)
	}
	switch e.Status {
	case v1alpha1.ProgressiveSyncWaiting:
		a.fromWaiting(&e, now)
	case v1alpha1.ProgressiveSyncPending:
		a.fromPending(&e, now)
	case v1alpha1.ProgressiveSyncProgressing:
		a.fromProgressing(&e, now)
	case v1alpha1.ProgressiveSyncHealthy:
	}
	return e
}

// anew tells why an Application has to go through its step again.
func (a *rolling) anew(e *Entry) string {
	pending := e.Status == v1alpha1.ProgressiveSyncPending
	busy := pending || e.Status == v1alpha1.ProgressiveSyncProgressing
	switch {
	case !a.known || e.Status == v1alpha1.ProgressiveSyncWaiting:
		return ""
	case !a.Exists:
		return "it is not there"
	case a.Changed:
		return "its spec has changed"
	case !a.Fresh:
		return ""
	case !slices.Equal(a.Revisions, e.TargetRevisions) && (a.Due || busy):
		return "it has a new revision"
	case a.Due && !a.Busy && !pending:
		return "it has changes"
	case a.Drifted && e.Status == v1alpha1.ProgressiveSyncHealthy:
		return "it has drifted"
	}
	return ""
}

func (a *rolling) done() bool { return a.Exists && a.Fresh && a.Synced && a.Healthy && !a.Busy }

func (a *rolling) fromWaiting(e *Entry, now time.Time) {
	switch {
	case !a.Exists || a.Changed:
	case a.Busy && a.Ours && !a.Due:
		// The engine was stopped before it could note what it had asked for.
		a.moveTo(e, v1alpha1.ProgressiveSyncProgressing, "it is syncing", now)
		a.fromProgressing(e, now)
	case a.done():
		a.moveTo(e, v1alpha1.ProgressiveSyncHealthy, "it is synced and healthy", now)
	case a.Fresh && a.Synced && !a.Busy:
		a.moveTo(e, v1alpha1.ProgressiveSyncProgressing, "it is synced and waits for health", now)
	}
}

func (a *rolling) fromPending(e *Entry, now time.Time) {
	since := e.LastTransitionTime
	if a.Ours && !a.Due && since != nil && !a.Started.Before(since.Time) {
		a.moveTo(e, v1alpha1.ProgressiveSyncProgressing, "it is syncing", now)
		a.fromProgressing(e, now)
	}
}

func (a *rolling) fromProgressing(e *Entry, now time.Time) {
	switch {
	case a.done():
		a.moveTo(e, v1alpha1.ProgressiveSyncHealthy, "it is synced and healthy", now)
	case a.Failure != "":
		e.Message = a.Failure
	case a.Fresh && a.Synced && !a.Busy:
		e.Message = "it is synced and waits for health"
	case a.Busy && a.Held != "":
		e.Message = "its sync has not begun: " + a.Held
	case a.Busy:
		e.Message = "it is syncing"
	case a.Fresh && !a.Synced:
		e.Message = "it was synced and still differs from what is wanted"
	}
}

// moveTo sets the status; its time moves only with it.
func (*rolling) moveTo(e *Entry, to v1alpha1.ProgressiveSyncStatusCode, message string, now time.Time) {
	if e.Status != to {
		at := v1alpha1.NewTime(now.Truncate(time.Second))
		e.LastTransitionTime = &at
	}
	e.Status, e.Message = to, message
}

// complete reports whether the next step need not wait for an Application.
func (a *rolling) complete() bool {
	return a.Exists && !a.Changed && a.Healthy && a.entry.Status == v1alpha1.ProgressiveSyncHealthy
}

// promote lets waiting Applications begin: those of the first step that is
// not complete, as many as it allows at once, and those of the steps before.
func (r *round) promote() {
	open, holder, before := true, 0, newEarlier()
	for step := 1; step <= len(r.Steps); step++ {
		members := r.in(step)
		left := atOnce(r.Steps[step-1].MaxUpdate, len(members)) - count(members, v1alpha1.ProgressiveSyncPending, v1alpha1.ProgressiveSyncProgressing)
		for _, a := range members {
			if a.entry.Status != v1alpha1.ProgressiveSyncWaiting {
				continue
			}
			if why := r.hold(a, before, open, holder, left); why != "" {
				a.entry.Message = why
				continue
			}
			left--
			a.moveTo(&a.entry, v1alpha1.ProgressiveSyncPending, "its sync is asked for", r.Now)
		}
		if open && slices.ContainsFunc(members, func(a *rolling) bool { return !a.complete() }) {
			open, holder = false, step
		}
		before.add(members)
	}
	for _, a := range r.in(Unmatched) {
		if a.entry.Status == v1alpha1.ProgressiveSyncWaiting {
			a.entry.Message = "no step selects it: sync it by hand"
		}
	}
}

// hold tells why a waiting Application may not begin.
func (r *round) hold(a *rolling, before *earlier, open bool, holder, left int) string {
	switch {
	case !a.Exists:
		return "it is not created yet"
	case a.Changed || !a.Fresh:
		return cmp.Or(a.Failure, "it has not been compared with what is wanted now")
	case !open:
		return fmt.Sprintf("waits for step %d", holder)
	case r.Paused:
		return "the roll-out is paused"
	case a.Busy && !a.Ours:
		return "another sync of it runs"
	case left <= 0:
		return "waits for others of its step (maxUpdate)"
	}
	if b := before.behind(a); b != nil {
		return fmt.Sprintf("waits until %s of step %d was compared with the same revision", b.Name, b.step)
	}
	return ""
}

func (r *round) in(step int) []*rolling {
	var out []*rolling
	for i := range r.apps {
		if r.apps[i].step == step {
			out = append(out, &r.apps[i])
		}
	}
	return out
}

func count(apps []*rolling, codes ...v1alpha1.ProgressiveSyncStatusCode) int {
	n := 0
	for _, a := range apps {
		if slices.Contains(codes, a.entry.Status) {
			n++
		}
	}
	return n
}

func (r *round) decision() Decision {
	var d Decision
	for i := range r.apps {
		a := &r.apps[i]
		d.Entries = append(d.Entries, a.entry)
		if a.entry.Status == v1alpha1.ProgressiveSyncPending && !r.Paused && a.asks() {
			d.Sync = append(d.Sync, a.Name)
		}
		if a.step == Unmatched || a.complete() {
			continue
		}
		if d.Step == 0 {
			d.Step = a.step
		}
		if a.step == d.Step {
			d.Holding = append(d.Holding, a.Name)
		}
	}
	return d
}

// asks reports whether the sync has still to be asked for: no other one stands or
// runs, or one that the roll-out began for an older revision.
func (a *rolling) asks() bool { return a.Fresh && !a.Changed && (!a.Busy || a.Ours && a.Due) }
