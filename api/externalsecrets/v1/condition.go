package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// WithCondition are the conditions with one that was found at a time, in place of that of
// its type. Its own time moves with its status alone.
func WithCondition(all []Condition, one Condition, at metav1.Time) []Condition {
	one.LastTransitionTime = at
	for i, last := range all {
		if last.Type != one.Type {
			continue
		}
		if last.Status == one.Status {
			one.LastTransitionTime = last.LastTransitionTime
		}
		all[i] = one
		return all
	}
	return append(all, one)
}
