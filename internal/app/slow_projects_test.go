package app

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// TestSlowRequestsOfOneProject has a project whose writes a cluster does not answer,
// hundreds of them in line, as with an admission webhook that is slow: another
// project syncs to the same cluster meanwhile.
func TestSlowRequestsOfOneProject(t *testing.T) {
	var slow strings.Builder
	for i := range 300 {
		fmt.Fprintf(&slow, "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: slow-%d}}\n", i)
	}
	e := prepare(t, hubConfig, map[string]string{"slow/a.yaml": slow.String(), "fast/a.yaml": configMapV1})
	e.adjust = func(c *Config) { c.ClusterTimeout = time.Hour }
	e.restart()
	shared := newFrontOf(t, "/slow-")
	shared.hangs.Store(true)
	e.describe("shared", shared.config())
	e.project("red", func(*v1alpha1.AppProjectSpec) {})
	e.app("slow", "slow", func(app *v1alpha1.Application) {
		app.Spec.Project, app.Spec.Destination.Name = "red", "shared"
	})
	embeddedtest.Eventually(t, func(context.Context) error {
		if n := shared.hanging.Load(); n < 32 {
			return fmt.Errorf("%d requests hang", n)
		}
		return nil
	})
	e.app("fast", "fast", func(app *v1alpha1.Application) { app.Spec.Destination.Name = "shared" })
	e.until("fast", "good", good)
	if shared.hanging.Load() == 0 {
		t.Error("nothing hangs any more")
	}
}
