package deviation

import (
	"os"
	"testing"
)

// Missing ends a test whose recorded cases are not here: they are no part of the
// repository. It is skipped, but in CI, where nobody would read that it was: there
// it fails.
func Missing(t testing.TB, cases string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("the recorded cases are not here, and in CI they are compared with: put %s beside the repository", cases)
	}
	t.Skipf("skipped: the recorded cases are not here: %s beside the repository", cases)
}
