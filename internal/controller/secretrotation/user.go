package secretrotation

import (
	"cmp"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// user is a workload beside the Secrets that it uses, and for which it is restarted.
type user struct {
	workload

	// mark is what its template says: up to when changes were followed.
	mark time.Time
	// changes are when they changed, by their names.
	changes map[string]time.Time
	// needs is that some of what runs is older than one of them.
	needs bool
	// unsure is how long it takes until the status of pods is sure to tell of all that
	// started before the last change; 0 when it is, or when that does not matter.
	unsure time.Duration
	// waited is since when the workload waits for earlier waves, where that is as long as
	// there is patience for it.
	waited time.Time
	// health is that of the workload; the zero one is not assessed.
	health gitops.Health
}

// newest is the last of the changes.
func (u *user) newest() (at time.Time) {
	for _, changed := range u.changes {
		if changed.After(at) {
			at = changed
		}
	}
	return at
}

// behind reports whether the workload has not followed a change: it is older, and was
// not restarted for it. Times have whole seconds: what is of the same one is older.
func (u *user) behind(changed time.Time) bool {
	return changed.After(u.mark) && !changed.Before(u.GetCreationTimestamp().Time)
}

// inOrder are users as they are restarted.
func inOrder(users []*user) []*user {
	return slices.SortedFunc(slices.Values(users), func(a, b *user) int {
		return cmp.Or(cmp.Compare(a.wave(), b.wave()), cmp.Compare(a.kind, b.kind), cmp.Compare(a.GetName(), b.GetName()))
	})
}

// blocker is a user of an earlier wave that has not come through a change yet for which
// this one is to be restarted; nil when there is none. With a Secret that changes without
// end, the other one always needs the next restart: who has waited long follows it when
// it came through one in the meantime.
func (u *user) blocker(all []*user) *user {
	for _, other := range all {
		if other.wave() >= u.wave() || other.app() != u.app() || other.paused {
			continue
		}
		needs := other.needs && (u.waited.IsZero() || !other.mark.After(u.waited))
		for name, changed := range u.changes {
			_, shared := other.changes[name]
			if shared && u.behind(changed) && (needs || other.health.Code != gitops.Healthy) {
				return other
			}
		}
	}
	return nil
}

// pace is how long changes are waited for that may follow one, so that all are one
// restart.
type pace time.Duration

const (
	// defaultPace is longer than what a rotation takes to reach several Secrets.
	defaultPace = pace(10 * time.Second)

	// longestWait and leastBetween are multiples of it: Secrets that change all the time
	// are followed after two minutes, and a workload is restarted once a minute at most.
	longestWait  = 12
	leastBetween = 6
)

// at is when a user is restarted of which that is remembered.
func (p pace) at(u *user, m memo) time.Time {
	quiet, longest, between := time.Duration(p), longestWait*time.Duration(p), leastBetween*time.Duration(p)
	at := u.newest().Add(quiet)
	if last := m.first.Add(longest); last.Before(at) {
		at = last
	}
	if next := u.mark.Add(between); !u.mark.IsZero() && next.After(at) {
		at = next
	}
	if next := m.restarted.Add(between); !m.restarted.IsZero() && next.After(at) {
		at = next
	}
	if end := u.rolls(m); end.After(at) {
		at = end
	}
	return at
}

// rolls is until when a workload that rolls out its last restart is left to that; the
// zero time where it does not. A rollout that is interrupted all the time would never
// let a later wave have its turn.
func (u *user) rolls(m memo) time.Time {
	last := m.restarted
	if u.mark.After(last) {
		last = u.mark
	}
	if last.IsZero() || u.health.Code != gitops.Progressing {
		return time.Time{}
	}
	return last.Add(patience)
}
