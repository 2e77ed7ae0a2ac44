package opstate

import (
	"math"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestRetryAfter(t *testing.T) {
	backoff := func(pause, most string, factor *int64) v1alpha1.RetryStrategy {
		return v1alpha1.RetryStrategy{Backoff: &v1alpha1.Backoff{Duration: pause, MaxDuration: most, Factor: factor}}
	}
	cases := map[string]struct {
		reason   string
		strategy v1alpha1.RetryStrategy
		count    int64
		want     time.Duration
		bad      bool
	}{
		"first":      {reason: "nothing said: five seconds", want: 5 * time.Second},
		"third":      {reason: "nothing said: doubled each time", count: 2, want: 20 * time.Second},
		"default":    {reason: "nothing said: three minutes at the most", count: 20, want: 3 * time.Minute},
		"endless":    {reason: "an operation that is tried without end never overflows", count: 1 << 40, want: 3 * time.Minute},
		"forged":     {reason: "a status may say any count, and a pause that does not grow is not counted up to it", strategy: backoff("1s", "1h", ptr(int64(1))), count: math.MaxInt64, want: time.Second},
		"at once":    {reason: "nor is no pause at all", strategy: backoff("0s", "1h", nil), count: math.MaxInt64},
		"below":      {reason: "a count below nothing is none", strategy: backoff("1s", "", nil), count: math.MinInt64, want: time.Second},
		"least":      {reason: "the shortest pause reaches the longest by then", strategy: backoff("1ns", "1000000h", nil), count: math.MaxInt64, want: 1000000 * time.Hour},
		"seconds":    {reason: "a bare number is seconds", strategy: backoff("10", "", nil), want: 10 * time.Second},
		"factor":     {reason: "the factor is the user's", strategy: backoff("1s", "", ptr(int64(3))), count: 3, want: 27 * time.Second},
		"steady":     {reason: "factor 1 keeps the pause", strategy: backoff("7s", "", ptr(int64(1))), count: 9, want: 7 * time.Second},
		"no factor":  {reason: "factor 0 is as if it were not there", strategy: backoff("1s", "", ptr(int64(0))), count: 1, want: 2 * time.Second},
		"most":       {reason: "the longest pause is the user's", strategy: backoff("1s", "1m30s", nil), count: 30, want: 90 * time.Second},
		"most first": {reason: "also for the first pause", strategy: backoff("1h", "1m", nil), want: time.Minute},
		"huge":       {reason: "a product that overflows is the longest pause", strategy: backoff("1h", "1000000h", ptr(int64(1<<40))), count: 3, want: 1000000 * time.Hour},
		"text":       {reason: "what is no duration is told", strategy: backoff("soon", "", nil), bad: true},
		"most text":  {reason: "the same for the longest", strategy: backoff("1s", "never", nil), bad: true},
		"negative":   {reason: "time does not run backwards", strategy: backoff("-5s", "", nil), bad: true},
		"negative s": {reason: "nor in seconds", strategy: backoff("-5", "", nil), bad: true},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			got, err := retryAfter(c.strategy, c.count)
			if (err != nil) != c.bad {
				t.Fatalf("%s: got the error %v", c.reason, err)
			}
			if got != c.want {
				t.Errorf("%s: got %s, want %s", c.reason, got, c.want)
			}
		})
	}
}

func TestFail(t *testing.T) {
	cases := map[string]struct {
		reason  string
		limit   int64
		count   int64
		pause   string
		phase   v1alpha1.OperationPhase
		message string
		tries   int64
		wait    time.Duration
	}{
		"no retries": {"limit 0 is never", 0, 0, "", v1alpha1.OperationFailed, "boom", 0, 0},
		"first":      {"the first of two", 2, 0, "", v1alpha1.OperationRunning, "boom. Retrying attempt #1 at 10:30:05.", 1, 5 * time.Second},
		"second":     {"the pause has doubled", 2, 1, "", v1alpha1.OperationRunning, "boom. Retrying attempt #2 at 10:30:10.", 2, 10 * time.Second},
		"used up":    {"the message says how often", 2, 2, "", v1alpha1.OperationFailed, "boom (retried 2 times).", 2, 10 * time.Second},
		"endless":    {"below 0 is without end", -1, 70, "", v1alpha1.OperationRunning, "boom. Retrying attempt #71 at 10:33:00.", 71, 3 * time.Minute},
		"below":      {"nothing was tried less often than never", 1, math.MinInt64, "", v1alpha1.OperationRunning, "boom. Retrying attempt #1 at 10:30:05.", 1, 5 * time.Second},
		"most":       {"the largest number has none after it", -1, math.MaxInt64, "1ms", v1alpha1.OperationRunning, "boom. Retrying attempt #9223372036854775807 at 10:33:00.", math.MaxInt64, 3 * time.Minute},
		"negative": {"and so does one below zero", 2, 0, "-5s", v1alpha1.OperationFailed,
			`syncPolicy.retry.backoff.duration is a length of time and cannot be -5s, which is below zero; write seconds or a duration such as 30s or 2m`, 0, 0},
		"seconds": {"in seconds as well", 2, 0, "-5", v1alpha1.OperationFailed,
			`syncPolicy.retry.backoff.duration is a length of time and cannot be -5s, which is below zero; write seconds or a duration such as 30s or 2m`, 0, 0},
		"unreadable": {"a pause that cannot be read ends it with the reason", 2, 0, "soon", v1alpha1.OperationFailed,
			`cannot read syncPolicy.retry.backoff.duration "soon" as a duration; write seconds or a duration such as 30s or 2m`, 0, 0},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			st := &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, RetryCount: c.count}
			st.Operation.Sync = &v1alpha1.SyncOperation{Manifests: []string{"a manifest"}}
			st.Operation.Retry = v1alpha1.RetryStrategy{Limit: c.limit, Backoff: &v1alpha1.Backoff{Duration: c.pause}}
			Fail(st, "boom", at)
			if st.Phase != c.phase || st.Message != c.message || st.RetryCount != c.tries {
				t.Errorf("%s: got %s %q after %d, want %s %q after %d", c.reason, st.Phase, st.Message, st.RetryCount, c.phase, c.message, c.tries)
			}
			if kept := st.Operation.Sync.Manifests != nil; kept != st.Runs() {
				t.Errorf("%s: the manifests that it brought are kept: %t, and it runs: %t", c.reason, kept, st.Runs())
			}
			if got := UntilRetry(st, at); got != c.wait {
				t.Errorf("%s: waits %s, want %s", c.reason, got, c.wait)
			}
			if got := UntilRetry(st, at.Add(c.wait)); got != 0 {
				t.Errorf("%s: waits another %s after the pause", c.reason, got)
			}
		})
	}
}

func TestUntilRetryOfARunningTry(t *testing.T) {
	if got := UntilRetry(&v1alpha1.OperationState{RetryCount: 3}, at); got != 0 {
		t.Errorf("a try that has not ended waits %s for itself", got)
	}
}
