package serve

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Who asks while the bridge is worked out waits no longer than they want, the
// work goes on without them, and the old one is shown while there is none that
// is newer.
func TestBridgeIsMadeOnce(t *testing.T) {
	now := time.Unix(1000, 0)
	begun, end := make(chan struct{}, 1), make(chan struct{})
	b := &bridger{now: func() time.Time { return now }, make: func() (*api.Bridge, error) {
		begun <- struct{}{} // a second one at a time has no room
		select {
		case <-end:
			return &api.Bridge{At: now}, nil
		case <-t.Context().Done():
			return nil, t.Context().Err()
		}
	}}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		if _, err := b.Bridge(gone); err == nil {
			t.Fatal("who has gone away is told something")
		}
	}
	end <- struct{}{}
	first, err := b.Bridge(t.Context())
	if err != nil || len(begun) != 1 {
		t.Fatalf("%v after %d pieces of work", err, len(begun))
	}
	<-begun
	now = now.Add(bridgeFor)
	for range 3 {
		if old, err := b.Bridge(gone); err != nil || old != first {
			t.Errorf("while a new one is worked out: %v, %v", old, err)
		}
	}
	<-begun
}

// namesakes are two clusters of one name, of a project each: the second Secret was
// written by an operator, by Terraform or by External Secrets.
type namesakes struct{}

func (n namesakes) Supposable(ctx context.Context) (bridge.Fleet, error) { return n.Outline(ctx) }

func (namesakes) Outline(context.Context) (bridge.Fleet, error) {
	return bridge.Fleet{Clusters: []bridge.Cluster{
		{Cluster: gitops.Cluster{Name: "prod", Server: "https://b.example.com", Secret: "b-prod", Project: "b", Annotations: map[string]string{"account": "treasure"}}},
		{Cluster: gitops.Cluster{Name: "prod", Server: "https://a.example.com", Secret: "a-prod", Project: "a"}},
	}}, nil
}

func (namesakes) Schemas(context.Context) ([]bridge.Schema, error) { return nil, nil }

func (namesakes) Trial(context.Context, bridge.Fleet) (bridge.Stages, error) { return nil, nil }

// Rights on the metadata of a cluster go by its own project, and not by that of
// another one of its name.
func TestProjectsOfNamesakes(t *testing.T) {
	b, err := bridgeOf(t.Context(), namesakes{}, time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range b.Clusters {
		if want := map[string]string{"b-prod": "b", "a-prod": "a"}[c.Secret]; c.Project != want {
			t.Errorf("cluster %s (%s) is judged as one of project %q, and is of %q: %+v", c.Secret, c.Server, c.Project, want, c.Keys)
		}
	}
}

// oneTrial tells where more than one look at a time holds what sets make.
type oneTrial struct {
	namesakes

	under atomic.Int32
}

func (o *oneTrial) Supposable(ctx context.Context) (bridge.Fleet, error) {
	if o.under.Add(1) > 1 {
		return bridge.Fleet{}, errors.New("another one is under way")
	}
	return o.namesakes.Supposable(ctx)
}

// TestTrialsComeOneAfterAnother, whoever asks for them, and those who wait are told
// when they have waited too long.
func TestTrialsComeOneAfterAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &oneTrial{}
		b := newBridger(t.Context(), &Options{Bridge: in})
		_, end, err := b.trial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := b.trial(gone); err == nil || !strings.Contains(err.Error(), "try it while others do") {
			t.Errorf("who does not wait is told: %v", err)
		}
		served := 0
		for range 3 {
			go func() {
				_, end, err := b.trial(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				served++
				in.under.Add(-1)
				end()
			}()
		}
		synctest.Wait()
		if served != 0 {
			t.Errorf("%d go on beside the first", served)
		}
		in.under.Add(-1)
		end()
		synctest.Wait()
		if served != 3 {
			t.Errorf("%d of 3 go on after it", served)
		}
	})
}
