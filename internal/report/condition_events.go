package report

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Unready makes an event of each condition that became false, or is false with
// another message than before.
func Unready(events Events, obj client.Object, before, after []metav1.Condition) {
	for _, c := range after {
		old := meta.FindStatusCondition(before, c.Type)
		if c.Status != metav1.ConditionFalse || old != nil && old.Status == c.Status && old.Message == c.Message {
			continue
		}
		events.Event(obj, corev1.EventTypeWarning, c.Reason, c.Message)
	}
}
