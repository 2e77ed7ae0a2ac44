package application

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/test/await"
)

// answer is what a cluster says at one look at an Application.
type answer struct {
	health string
	err    error
}

// answers come look after look. The last one stays; who goes on asking for it
// for ever is interrupted.
type answers struct {
	all    []answer
	asked  int
	cancel context.CancelFunc
}

func (a *answers) Read(context.Context, *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	got := a.all[min(a.asked, len(a.all)-1)]
	if a.asked++; a.asked > len(a.all)+4 {
		a.cancel()
	}
	if got.err != nil {
		return nil, got.err
	}
	return &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{
		"sync": map[string]any{"status": "Synced"}, "health": map[string]any{"status": got.health},
	}}}, nil
}

// TestAwaitGoesOnWhereItMayPass: an apply of a fleet does not end because its API
// server restarts, and does not wait for what nobody mends meanwhile.
func TestAwaitGoesOnWhereItMayPass(t *testing.T) {
	well, ill := answer{health: "Healthy"}, answer{health: "Progressing"}
	forbidden := answer{err: apierrors.NewForbidden(schema.GroupResource{Group: "argoproj.io", Resource: "applications"}, "a", errors.New("no rule"))}
	down, cut := answer{err: apierrors.NewServiceUnavailable("it starts")}, answer{err: errors.New("connection refused")}
	for name, tc := range map[string]struct {
		reason   string
		planning bool
		within   time.Duration
		answers  []answer
		want     string // part of the error; empty for none
	}{
		"Well":      {"there is nothing to wait for", false, await.Limit, []answer{well}, ""},
		"Down":      {"the API server restarts", false, await.Limit, []answer{down, down, well}, ""},
		"Restarted": {"it has not read its roles yet", false, await.Limit, []answer{forbidden, forbidden, forbidden, well}, ""},
		"Cut":       {"it was reached before", false, await.Limit, []answer{ill, cut, cut, well}, ""},
		"Right":     {"nobody gives it back for half a minute", false, await.Limit, []answer{forbidden}, "no rule"},
		"NoWay":     {"an address that is wrong does not get right", false, await.Limit, []answer{cut, well}, "connection refused"},
		"Plan":      {"a plan waits for nothing", true, await.Limit, []answer{down, well}, "it starts"},
		"Late":      {"the last look is told, and not what was before", false, awaitPoll, []answer{down}, "it starts"},
		"Ill":       {"the last look found it otherwise", false, awaitPoll, []answer{ill}, errLate.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			now := time.Now()
			w := watch{
				hub: &answers{all: tc.answers, cancel: cancel}, namespace: "argocd", names: []string{"a"}, within: tc.within,
				planning: func() bool { return tc.planning },
				now: func() time.Time {
					now = now.Add(12 * time.Second)
					return now
				},
			}
			_, err := w.await(ctx)
			if tc.want == "" && err != nil {
				t.Errorf("%s: %v", tc.reason, err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}
