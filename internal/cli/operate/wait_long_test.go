package operate

import (
	"bytes"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// What is Degraded may recover, but not for ever.
func TestDegradedForLong(t *testing.T) {
	now := clitest.Noon
	w := &waiting{flags: &waitFlags{Global: &command.Global{Streams: command.Streams{Err: &bytes.Buffer{}}}, goal: goal{healthy: true}}, now: func() time.Time { return now }}
	one := &awaited{name: "shop", app: clitest.Settled(func(a *v1alpha1.Application) { a.Status.Health.Status = v1alpha1.HealthStatusDegraded })}
	steps := []struct {
		reason string
		after  time.Duration
		health v1alpha1.HealthStatusCode
		want   string
	}{
		{"it is ill since now", 0, v1alpha1.HealthStatusDegraded, stateIll}, {"not long", illFor - time.Second, v1alpha1.HealthStatusDegraded, stateIll},
		{"it recovers", 0, v1alpha1.HealthStatusProgressing, stateWaits}, {"it is ill anew", time.Hour, v1alpha1.HealthStatusDegraded, stateIll},
		{"and stays so", illFor, v1alpha1.HealthStatusDegraded, stateFailed},
	}
	for _, step := range steps {
		now = now.Add(step.after)
		one.app.Status.Health.Status = step.health
		if w.judge(t.Context(), one); one.state != step.want {
			t.Errorf("%s: %s, want %s", step.reason, one.state, step.want)
		}
	}
}
