package applicationset

import (
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/policy/rollout"
	"github.com/causeway-gitops/causeway/internal/report"
)

// mostOfOthers is how many bytes a status repeats of what an Application says: who
// writes one of them must not fill the status of a set that others share.
const mostOfOthers = 300

// fit makes the status of a set small enough for the hub's store. What the Applications
// tell themselves goes first: words and revisions of those that are through their step,
// the words of the others, the list of Applications but for those whose deletion is held,
// and at last revisions, and entries: an engine that starts then finds out again
// where these are. Rollouts keeps all of it.
func fit(set *v1alpha1.ApplicationSet) {
	s := &set.Status
	excess := report.Size(s) - report.MaxStatus
	if excess <= 0 {
		return
	}
	s.ApplicationStatus = slices.Clone(s.ApplicationStatus) // it is what Rollouts has
	excess = shorten(s.ApplicationStatus, excess, isThrough, withoutMore)
	excess = shorten(s.ApplicationStatus, excess, isAny, withoutWords)
	s.Resources, excess = drop(s.Resources, excess, func(r *v1alpha1.ResourceStatus) bool { return !r.RequiresPruning })
	excess = shorten(s.ApplicationStatus, excess, isAny, withoutMore)
	s.ApplicationStatus, excess = drop(s.ApplicationStatus, excess, isThrough)
	s.ApplicationStatus, _ = drop(s.ApplicationStatus, excess, isAny)
}

func isThrough(e *rollout.Entry) bool { return e.Status == v1alpha1.ProgressiveSyncHealthy }

func isAny(*rollout.Entry) bool { return true }

func withoutWords(e *rollout.Entry) { e.Message = "" }

func withoutMore(e *rollout.Entry) { e.Message, e.TargetRevisions = "", []string{} }

// shorten does so to some entries, as long as there is an excess of bytes, and returns
// what is left of it.
func shorten(entries []rollout.Entry, excess int, which func(*rollout.Entry) bool, by func(*rollout.Entry)) int {
	for i := range entries {
		if excess <= 0 {
			break
		}
		if e := &entries[i]; which(e) {
			before := report.Size(e)
			by(e)
			excess -= before - report.Size(e)
		}
	}
	return excess
}

// drop takes out some of a list, from its end, as long as there is an excess of bytes.
func drop[T any](list []T, excess int, which func(*T) bool) (left []T, still int) {
	gone := map[int]bool{}
	for i := len(list) - 1; i >= 0 && excess > 0; i-- {
		if which(&list[i]) {
			excess -= report.Size(&list[i]) + 1 // the comma
			gone[i] = true
		}
	}
	if len(gone) == 0 {
		return list, excess
	}
	left = make([]T, 0, len(list)-len(gone))
	for i := range list {
		if !gone[i] {
			left = append(left, list[i])
		}
	}
	return left, excess
}
