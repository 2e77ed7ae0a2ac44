package differences

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/cli/live"
)

func TestDifferenceIsPainted(t *testing.T) {
	text := "--- live x\n+++ desired x\n@@ -1,2 +1,2 @@\n spec:\n-  replicas: 5\n+  replicas: 1\n"
	want := "update Deployment shop/web\n@@ -1,2 +1,2 @@\n spec:\n-  replicas: 5\n+  replicas: 1\n\n"
	if diff := cmp.Diff(want, Painted(text, "update Deployment shop/web", live.Plain())); diff != "" {
		t.Error(diff)
	}
}
