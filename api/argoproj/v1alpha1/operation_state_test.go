package v1alpha1

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOperationState(t *testing.T) {
	at := NewTime(time.Now())
	cases := map[string]struct {
		reason string
		state  *OperationState
		want   []string
	}{
		"Never":       {"what was never synced is neither busy nor done", nil, nil},
		"Running":     {"it is under way", &OperationState{Phase: OperationRunning}, []string{"runs", "proceeds"}},
		"Waiting":     {"a failed try is no end", &OperationState{Phase: OperationRunning, FinishedAt: &at}, []string{"runs", "proceeds", "between tries"}},
		"Terminating": {"it is under way until it was ended", &OperationState{Phase: OperationTerminating}, []string{"runs", "terminating"}},
		"Failed":      {"it is over", &OperationState{Phase: OperationFailed, FinishedAt: &at}, []string{"ended", "failed"}},
		"Error":       {"what could not be tried has failed, too", &OperationState{Phase: OperationError, FinishedAt: &at}, []string{"ended", "failed"}},
		"Succeeded":   {"it is over", &OperationState{Phase: OperationSucceeded, FinishedAt: &at}, []string{"ended", "succeeded"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			say := func(is bool, what string) {
				if is {
					got = append(got, what)
				}
			}
			say(tc.state.Runs(), "runs")
			say(tc.state.Proceeds(), "proceeds")
			say(tc.state.Terminating(), "terminating")
			say(tc.state.BetweenTries(), "between tries")
			say(tc.state.Ended(), "ended")
			say(tc.state.Succeeded(), "succeeded")
			say(tc.state.Failed(), "failed")
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n%s", tc.reason, diff)
			}
		})
	}
}
