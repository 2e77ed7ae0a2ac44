package embeddedtest

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/causeway-gitops/causeway/test/await"
)

// interval is how often a condition is looked at.
const interval = 20 * time.Millisecond

// Eventually waits until check returns nil, and fails the test when it has not within the limit of patience; the last
// error of check tells what was missing.
func Eventually(t testing.TB, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	var last error
	err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		err := check(ctx)
		if err == nil {
			return true, nil
		}
		// A check that was cut short by the deadline knows less than the one before it.
		if ctx.Err() == nil || last == nil {
			last = err
		}
		return false, nil
	})
	if err != nil {
		t.Fatalf("not within %s: %v", await.Limit, last)
	}
}

// Never fails the test when check returns nil at any moment of that time.
func Never(t testing.TB, during time.Duration, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), during)
	defer cancel()
	err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		return check(ctx) == nil, nil
	})
	if err == nil {
		t.Fatalf("came true within %s, and must not", during)
	}
}
