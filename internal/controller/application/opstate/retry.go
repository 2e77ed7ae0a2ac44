package opstate

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// The retry rules of Argo CD: five tries for automated syncs that say
// nothing, pauses of 5 s that double up to 3 min.
const (
	DefaultRetries      = 5
	defaultRetryPause   = 5 * time.Second
	defaultRetryFactor  = 2
	defaultRetryLongest = 3 * time.Minute
)

// mostGrowth is how often a pause can grow at all: after so many steps by a
// factor of two even a nanosecond is longer than any duration. Whoever writes
// an Application writes its count of tries, too, and a try must not cost as
// many steps as they say.
const mostGrowth = 63

// tries is how often an operation was tried again. A status may say anything:
// nothing was tried less often than never, and one more has to have a number.
func tries(st *v1alpha1.OperationState) int64 {
	return min(max(st.RetryCount, 0), math.MaxInt64-1)
}

// retryLeft reports whether a failed operation may be tried again.
func retryLeft(st *v1alpha1.OperationState) bool {
	limit := st.Operation.Retry.Limit
	return limit < 0 || tries(st) < limit
}

// retryAfter is the pause before the try after count earlier ones.
func retryAfter(s v1alpha1.RetryStrategy, count int64) (time.Duration, error) {
	pause, longest, factor := defaultRetryPause, defaultRetryLongest, int64(defaultRetryFactor)
	if b := s.Backoff; b != nil {
		var err error
		if pause, err = duration("retry.backoff.duration", b.Duration, pause); err != nil {
			return 0, err
		}
		if longest, err = duration("retry.backoff.maxDuration", b.MaxDuration, longest); err != nil {
			return 0, err
		}
		if b.Factor != nil && *b.Factor >= 1 {
			factor = *b.Factor
		}
	}
	for range min(count, mostGrowth) {
		if pause >= longest/time.Duration(factor) { // before the product can overflow
			return longest, nil
		}
		pause *= time.Duration(factor)
	}
	return min(pause, longest), nil
}

// duration reads whole seconds or a Go duration.
func duration(field, text string, fallback time.Duration) (time.Duration, error) {
	if text == "" {
		return fallback, nil
	}
	if _, err := strconv.ParseInt(text, 10, 32); err == nil {
		text += "s"
	}
	d, err := gitops.ParseDuration("syncPolicy."+field, text)
	if err != nil {
		return 0, gitops.Problemf(gitops.Invalid, "%w", err).Do("write seconds or a duration such as 30s or 2m")
	}
	return d, nil
}

// Fail ends a try: the operation waits for the next one, or is over.
func Fail(st *v1alpha1.OperationState, message string, now time.Time) {
	at := Ended(st, now)
	st.FinishedAt = &at
	if !retryLeft(st) {
		if st.RetryCount > 0 {
			message += fmt.Sprintf(" (retried %d times).", st.RetryCount)
		}
		GiveUp(st, message)
		return
	}
	pause, err := retryAfter(st.Operation.Retry, tries(st))
	if err != nil {
		GiveUp(st, err.Error())
		return
	}
	st.RetryCount = tries(st) + 1
	st.Message = fmt.Sprintf("%s. Retrying attempt #%d at %s.", message, st.RetryCount, now.Add(pause).UTC().Format(time.TimeOnly))
}

// GiveUp ends an operation without another try.
func GiveUp(st *v1alpha1.OperationState, message string) {
	DropManifests(st)
	st.Phase, st.Message = v1alpha1.OperationFailed, message
}

// Again begins the next try of a failed operation: what the last one did to
// its objects counts no more.
func Again(st *v1alpha1.OperationState) {
	if st.FinishedAt != nil && st.SyncResult != nil {
		st.SyncResult.Resources = nil
	}
	st.FinishedAt = nil
}

// UntilRetry is how long a failed try still has to wait; zero means now.
func UntilRetry(st *v1alpha1.OperationState, now time.Time) time.Duration {
	if st.FinishedAt == nil || st.RetryCount == 0 {
		return 0
	}
	pause, err := retryAfter(st.Operation.Retry, tries(st)-1)
	if err != nil {
		return 0
	}
	// A clock that was set back must not make it longer.
	return min(pause, max(0, st.FinishedAt.Add(pause).Sub(now)))
}
