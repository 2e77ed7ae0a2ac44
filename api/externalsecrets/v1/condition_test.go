package v1

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestWithCondition: there is one condition of a type, and its time is when its status became what it is.
func TestWithCondition(t *testing.T) {
	first := metav1.NewTime(time.Unix(1000, 0))
	later := metav1.NewTime(first.Add(time.Hour))
	all := WithCondition([]Condition{{Type: "Other", Status: "True"}}, Condition{Type: "Ready", Status: "True"}, first)
	all = WithCondition(all, Condition{Type: "Ready", Status: "True", Message: "other"}, later)
	if len(all) != 2 || all[1].Message != "other" || !all[1].LastTransitionTime.Equal(&first) {
		t.Errorf("a condition that stays has another time: %+v", all)
	}
	all = WithCondition(all, Condition{Type: "Ready", Status: "False"}, later)
	if len(all) != 2 || all[1].Status != "False" || !all[1].LastTransitionTime.Equal(&later) {
		t.Errorf("a condition that changed has the old time: %+v", all)
	}
}
