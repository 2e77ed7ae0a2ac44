package operate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/server/batch"
)

// TestWhatASyncWaitsFor is told until there is nothing: a sync that failed, or changed nothing, makes nobody healthy.
func TestWhatASyncWaitsFor(t *testing.T) {
	degraded := func(a *v1alpha1.Application) { a.Status.Health.Status = v1alpha1.HealthStatusDegraded }
	state := func(phase v1alpha1.OperationPhase) *v1alpha1.OperationState {
		return &v1alpha1.OperationState{Phase: phase, Message: "wave 2\nof 3"}
	}
	const done, failed = v1alpha1.OperationSucceeded, v1alpha1.OperationFailed
	cases := map[string]struct {
		reason string
		flags  syncFlags
		app    *v1alpha1.Application
		state  *v1alpha1.OperationState
		want   string
	}{
		"not begun":      {"the engine has to see it", syncFlags{}, clitest.Settled(), nil, "waiting for the engine"},
		"runs":           {"in one line", syncFlags{}, clitest.Settled(), state(v1alpha1.OperationRunning), "Running: wave 2 of 3"},
		"ends early":     {"it is not over", syncFlags{}, clitest.Settled(), state(v1alpha1.OperationTerminating), "Terminating: wave 2 of 3"},
		"done":           {"the health was not asked for", syncFlags{}, clitest.Settled(degraded, outOfSync), state(done), ""},
		"wait":           {"it was", syncFlags{wait: true}, clitest.Settled(degraded), state(done), "Synced, Degraded"},
		"wait, synced":   {"both were", syncFlags{wait: true}, clitest.Settled(outOfSync), state(done), "OutOfSync, Healthy"},
		"wait, well":     {"it is well", syncFlags{wait: true}, clitest.Settled(), state(done), ""},
		"rollback":       {"Git says something else then", syncFlags{healthy: true}, clitest.Settled(outOfSync), state(done), ""},
		"rollback, ill":  {"the health counts", syncFlags{healthy: true}, clitest.Settled(degraded, outOfSync), state(done), "OutOfSync, Degraded"},
		"failed":         {"it makes nothing healthy", syncFlags{wait: true}, clitest.Settled(degraded), state(failed), ""},
		"error":          {"nor does one that could not begin", syncFlags{wait: true}, clitest.Settled(degraded), state(v1alpha1.OperationError), ""},
		"dry run":        {"it changes nothing", syncFlags{wait: true, dryRun: true}, clitest.Settled(degraded), state(done), ""},
		"says a problem": {"the reason follows", syncFlags{wait: true}, clitest.Shop(), state(done), "OutOfSync, Degraded: ComparisonError: cannot render chart: it is broken"},
	}
	for name, c := range cases {
		if got := c.flags.awaits(c.app, c.state); got != c.want {
			t.Errorf("%s: %s: %q, want %q", name, c.reason, got, c.want)
		}
	}
}

// TestObjectsThatWereAskedForAreThere, by all that was said of them: a namespace that nobody says is any.
func TestObjectsThatWereAskedForAreThere(t *testing.T) {
	there := []v1alpha1.ResourceStatus{{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}}
	state := &v1alpha1.OperationState{SyncResult: &v1alpha1.SyncOperationResult{Resources: v1alpha1.ResourceResults{{Kind: "ConfigMap", Namespace: "team", Name: "made"}}}}
	for text, want := range map[string]string{
		"apps:Deployment:web": "", "apps:Deployment:shop/web": "", ":ConfigMap:made": "", ":ConfigMap:team/made": "",
		"apps:Deployment:team/web": "apps:Deployment:team/web", ":Deployment:web": ":Deployment:web", "apps:StatefulSet:web": "apps:StatefulSet:web", ":ConfigMap:shop/made": ":ConfigMap:shop/made",
	} {
		wanted, err := parseResources([]string{"apps:Deployment:web", text})
		if err != nil {
			t.Fatal(err)
		}
		if got := unmatched(wanted, state, there); got != want {
			t.Errorf("%s: %q is not there", text, got)
		}
	}
	wanted := []v1alpha1.SyncOperationResource{{Kind: "ConfigMap", Name: "made"}}
	if got := unmatched(wanted, &v1alpha1.OperationState{}, there); got != ":ConfigMap:made" {
		t.Errorf("without a result %q is not there", got)
	}
}

// TestWhoGoesAwayEndsTheirOperation of a server, which would go on to ask for the others.
func TestWhoGoesAwayEndsTheirOperation(t *testing.T) {
	endless := &batch.Batch{ID: "op", State: batch.Running, Counts: batch.Counts{Total: 2, Left: 2}}
	ctx, leave := context.WithCancelCause(t.Context())
	d := clitest.NewDesk(t, map[string]any{"DELETE /api/v1/operations/op": nil, "GET /api/v1/operations/op": func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(endless)
		leave(command.ErrStopped)
	}})
	var errs bytes.Buffer
	g := &command.Global{Streams: command.Streams{Err: &errs}, StateDir: t.TempDir(), Server: command.ServerFlags{Address: d.URL}}
	h, err := target.Reach(g)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := followBatch(ctx, g, h, endless); !errors.Is(err, command.ErrStopped) {
		t.Errorf("it ends with %v", err)
	}
	if asked := d.Asked(); len(asked) != 1 || asked[0] != "DELETE /api/v1/operations/op" {
		t.Errorf("asked %q", asked)
	}
}

// TestOperationsThatAreLost cannot be followed: which one it was is told.
func TestOperationsThatAreLost(t *testing.T) {
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(named("a"), named("b")), "POST /api/v1/applications/refresh": &batch.Batch{ID: "op", State: batch.Done},
		"GET /api/v1/operations/op": clitest.Refusal{Status: http.StatusNotFound, Detail: "there is no operation op"},
	})
	clitest.Run(t, NewRefresh, "a", "b", "--server", d.URL).Says(t, "lost", command.ExitFailed, "cannot follow operation op: ", "there is no operation op")
	d = clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(named("a"), named("b")), "POST /api/v1/applications/refresh": clitest.Refusal{Status: http.StatusForbidden, Detail: "you may not"}})
	got := clitest.Run(t, NewRefresh, "a", "b", "--server", d.URL)
	got.Says(t, "denied", command.ExitFailed, "cannot refresh: ", "you may not")
	if strings.Contains(got.Out, "looked at again") {
		t.Errorf("it says that it was done: %s", got.Out)
	}
}
