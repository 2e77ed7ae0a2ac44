package serve

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestFactsAreAskedOnce for all who look, who wait for a slow cluster no longer than a
// moment; what it tells later is there for those who come then.
func TestFactsAreAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, slow := map[string]int{}, factsWait+time.Second
		f := newFacts(t.Context(), func(_ context.Context, secret, _ string) ([]bridge.Fact, error) {
			asked[secret]++
			if secret == "slow" {
				time.Sleep(slow)
			}
			return []bridge.Fact{{Name: "region", Value: secret, Type: bridge.TypeString, Source: bridge.OfCluster}}, nil
		})
		told := func(secret string) *api.BridgeFacts {
			return &api.BridgeFacts{Facts: []api.BridgeFact{{Name: "region", Value: secret, Type: "string", Source: "cluster"}}}
		}
		for range 3 {
			if d := cmp.Diff(told("quick"), f.of(t.Context(), "quick", "https://q")); d != "" {
				t.Error(d)
			}
			go f.of(t.Context(), "slow", "https://s")
		}
		if got := f.of(t.Context(), "slow", "https://s"); len(got.Facts) != 0 || got.Untold != "the cluster has not told it yet" {
			t.Errorf("of a slow cluster is told %+v", got)
		}
		time.Sleep(slow - factsWait)
		synctest.Wait()
		if d := cmp.Diff(told("slow"), f.of(t.Context(), "slow", "https://s")); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(map[string]int{"quick": 1, "slow": 1}, asked); d != "" {
			t.Errorf("clusters were asked (-want +got):\n%s", d)
		}

		// Who looks again is told what a slow cluster said last, while it is asked anew.
		time.Sleep(factsFor)
		for range 2 {
			if d := cmp.Diff(told("slow"), f.of(t.Context(), "slow", "https://s")); d != "" {
				t.Error(d)
			}
			time.Sleep(slow)
			synctest.Wait()
		}
		if asked["slow"] != 2 {
			t.Errorf("the slow one was asked %d times", asked["slow"])
		}

		// Nothing is kept of clusters that nobody looks at any more.
		time.Sleep(factsKept)
		f.of(t.Context(), "quick", "https://q")
		if asked["quick"] != 2 || len(f.known) != 1 {
			t.Errorf("asked %v, kept %v", asked, f.known)
		}
	})
}

func TestUntold(t *testing.T) {
	for want, err := range map[string]error{
		"":                                nil,
		"nodes is forbidden":              gitops.Problemf(gitops.Forbidden, "nodes is forbidden"),
		"the cluster has not told it yet": context.DeadlineExceeded,
		"the cluster could not be asked":  errors.New("words for the log"),
	} {
		if got := untold(err); got != want {
			t.Errorf("of %v is told %q, want %q", err, got, want)
		}
	}
}
