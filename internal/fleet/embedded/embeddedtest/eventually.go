package embeddedtest

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/causeway-gitops/causeway/test/await"
)

// Eventually is await.Until.
func Eventually(t testing.TB, check func(context.Context) error) {
	t.Helper()
	await.Until(t, check)
}

// Never fails the test when check returns nil at any moment of that time.
func Never(t testing.TB, during time.Duration, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), during)
	defer cancel()
	err := wait.PollUntilContextCancel(ctx, await.Interval, true, func(ctx context.Context) (bool, error) {
		return check(ctx) == nil, nil
	})
	if err == nil {
		t.Fatalf("came true within %s, and must not", during)
	}
}
