package reach

import (
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Unseen are the Applications that somebody may not read. They are in no
// count: what is counted is what they may read, and that there are others.
type Unseen struct {
	apps map[view.Key]bool
	// bySet is how many of them a set has made.
	bySet map[view.Key]int
}

// UnseenOf are those of rows that are not visible.
func UnseenOf(rows []*view.Row, visible func(*view.Row) bool) *Unseen {
	out := &Unseen{map[view.Key]bool{}, map[view.Key]int{}}
	for _, r := range rows {
		if visible(r) {
			continue
		}
		out.apps[r.Key()] = true
		if r.Set != "" {
			out.bySet[view.Key{Namespace: r.Namespace, Name: r.Set}]++
		}
	}
	return out
}

// Has reports whether an Application of a name is one of them.
func (u *Unseen) Has(namespace, name string) bool {
	return u.apps[view.Key{Namespace: namespace, Name: name}]
}

// OfSet is how many of them a set has made.
func (u *Unseen) OfSet(set view.Key) int { return u.bySet[set] }

// Besides counts of some Applications of a namespace those that are none of
// them, and reports whether there are others.
func (u *Unseen) Besides(namespace string, names []string) (count int, others bool) {
	for _, name := range names {
		if u.Has(namespace, name) {
			others = true
			continue
		}
		count++
	}
	return count, others
}

// untold stands where a condition may name or count Applications that somebody may
// not read.
const untold = "its message is shown only to users who may read all Applications of the set"

// Conditions are those of a set. Who may not read all of its Applications is told of
// what names or counts these no more than that it is so, and since when.
func (u *Unseen) Conditions(set *v1alpha1.ApplicationSet) []v1alpha1.ApplicationSetCondition {
	if !u.some(set) {
		return set.Status.Conditions
	}
	out := slices.Clone(set.Status.Conditions)
	for i := range out {
		if !tellsOfSetAlone(&out[i]) {
			out[i].Message = untold
		}
	}
	return out
}

// some reports whether a set has made any of them, or its status names one.
func (u *Unseen) some(set *v1alpha1.ApplicationSet) bool {
	has := func(name string) bool { return u.Has(set.Namespace, name) }
	return u.OfSet(view.Key{Namespace: set.Namespace, Name: set.Name}) > 0 ||
		slices.ContainsFunc(set.Status.Resources, func(r v1alpha1.ResourceStatus) bool { return has(r.Name) }) ||
		slices.ContainsFunc(set.Status.ApplicationStatus, func(a v1alpha1.ApplicationSetApplicationStatus) bool { return has(a.Application) })
}

// tellsOfSetAlone reports whether a condition says that all is well, or what is wrong
// with the set itself: its generators, its template. What else there may be, such as
// what Argo CD has written, may be about Applications.
func tellsOfSetAlone(c *v1alpha1.ApplicationSetCondition) bool {
	switch c.Type {
	case v1alpha1.ApplicationSetConditionErrorOccurred, v1alpha1.ApplicationSetConditionResourcesUpToDate:
		return c.Reason == v1alpha1.ApplicationSetReasonApplicationSetUpToDate || c.Reason == v1alpha1.ApplicationSetReasonApplicationParamsGenerationError
	case v1alpha1.ApplicationSetConditionParametersGenerated: // with an error of Applications it is true
		return c.Reason == v1alpha1.ApplicationSetReasonParametersGenerated || c.Status == v1alpha1.ApplicationSetConditionStatusFalse
	case v1alpha1.ApplicationSetConditionRolloutProgressing:
		return c.Reason == v1alpha1.ApplicationSetReasonApplicationSetRolloutComplete
	case v1alpha1.ApplicationSetConditionDeletionHeld:
		return c.Status == v1alpha1.ApplicationSetConditionStatusFalse
	case v1alpha1.ApplicationSetConditionParameterWarning:
		return true
	}
	return false
}
