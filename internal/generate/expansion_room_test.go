package generate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// noting is a fleet that notes how much of a Room is left while it is listed.
type noting struct {
	fakeClusters
	room *Room
	free []bool // whether all of it was, for each time
}

func (n *noting) Clusters(ctx context.Context) ([]gitops.Cluster, error) {
	n.free = append(n.free, n.room.isEmpty())
	return n.fakeClusters.Clusters(ctx)
}

func (r *Room) isEmpty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.free == roomOfAll && len(r.held) == 0
}

// TestRoomOfLargeSets is taken by those that are large alone, as long as their
// Applications are used.
func TestRoomOfLargeSets(t *testing.T) {
	for name, tc := range map[string]struct {
		reason   string
		clusters int
		tries    int
	}{
		"small": {"most sets are never held up", 20, 1},
		"some":  {"a second try has room", 500, 2},
	} {
		t.Run(name, func(t *testing.T) {
			room := NewRoom()
			fleet := &noting{fakeClusters: fleetOf(tc.clusters), room: room}
			out, err := New(fleet, fakeRepos{}, anyProject{}, WithRoom(room)).Applications(t.Context(), parseSet(t, addonFast))
			if err != nil || len(out.Applications) != tc.clusters {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if len(fleet.free) != tc.tries || !fleet.free[0] || tc.tries > 1 && fleet.free[1] {
				t.Errorf("%s: it was expanded %d times, and nothing was taken %v", tc.reason, len(fleet.free), fleet.free)
			}
			if used := !room.isEmpty(); used != (tc.tries > 1) {
				t.Errorf("%s: its Applications have room: %t", tc.reason, used)
			}
			out.Release()
			out.Release()
			if !room.isEmpty() {
				t.Errorf("%s: room is not given back", tc.reason)
			}
		})
	}
}

// TestRoomIsRemembered: a large set is expanded once from the second time on, and again
// without any room when it got small.
func TestRoomIsRemembered(t *testing.T) {
	room := NewRoom()
	set := parseSet(t, addonFast)
	for look, tc := range []struct{ clusters, tries int }{{500, 2}, {500, 1}, {20, 1}, {20, 1}} {
		fleet := &noting{fakeClusters: fleetOf(tc.clusters), room: room}
		out, err := New(fleet, fakeRepos{}, anyProject{}, WithRoom(room)).Applications(t.Context(), set)
		if err != nil {
			t.Fatal(err)
		}
		if len(fleet.free) != tc.tries {
			t.Errorf("look %d: with %d clusters it was expanded %d times", look+1, tc.clusters, len(fleet.free))
		}
		if used := !room.isEmpty(); look == 3 && used {
			t.Error("a small set has room")
		}
		out.Release()
	}
	if !room.isEmpty() || len(room.shares) != 0 {
		t.Errorf("of small sets is remembered %v", room.shares)
	}
}

// TestRoomIsGivenBackByWhatFails, and who waits for it ends with the context.
func TestRoomIsGivenBackByWhatFails(t *testing.T) {
	room := NewRoom()
	set := parseSet(t, addonFast)
	g := New(fleetOf(500), fakeRepos{}, anyProject{}, WithRoom(room), WithLimits(Limits{Held: 2 << 20}))
	if _, err := g.Applications(t.Context(), set); err == nil || errors.Is(err, errLarge) {
		t.Errorf("what is too large says %v", err)
	}
	if !room.isEmpty() {
		t.Fatal("room is not given back")
	}
	if err := room.take(t.Context(), "another", roomOfAll); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g = New(fleetOf(500), fakeRepos{}, anyProject{}, WithRoom(room))
	if _, err := g.Applications(ctx, set); !errors.Is(err, context.Canceled) {
		t.Errorf("it waits for nobody: %v", err)
	}
}

// TestRoomGoesRound: a project with many large sets has others wait for one of them.
func TestRoomGoesRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := NewRoom()
		var order []string
		ask := func(account string) {
			go func() {
				if err := room.take(t.Context(), account, roomOfAll); err != nil {
					t.Error(err)
				}
				order = append(order, account)
				room.give(account, roomOfAll)
			}()
			synctest.Wait()
		}
		if err := room.take(t.Context(), "red", roomOfAll); err != nil {
			t.Fatal(err)
		}
		for _, account := range []string{"red", "red", "red", "blue", "green", "blue"} {
			ask(account)
		}
		room.give("red", roomOfAll)
		synctest.Wait()
		if want := []string{"blue", "green", "red", "blue", "red", "red"}; !slices.Equal(order, want) {
			t.Errorf("got %v, want %v", order, want)
		}
		if !room.isEmpty() {
			t.Error("room is not given back")
		}
	})
}

// TestRoomIsNotHeldUpByWhoWentAway: what waited behind a large one goes on.
func TestRoomIsNotHeldUpByWhoWentAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := NewRoom()
		if err := room.take(t.Context(), "red", small); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		served := 0
		for _, one := range []struct {
			ctx   context.Context //nolint:containedctx // of one who waits
			bytes int64
		}{{ctx, roomOfAll}, {t.Context(), small}} {
			go func() {
				if room.take(one.ctx, "blue", one.bytes) == nil {
					served++
				}
			}()
			synctest.Wait()
		}
		if served != 0 {
			t.Error("what is small went before what is large")
		}
		cancel()
		synctest.Wait()
		if served != 1 {
			t.Error("it waits for who is gone")
		}
	})
}

// failingForge has large repositories, or panics as libraries do at what they did
// not expect.
type failingForge struct{ fails bool }

func (f *failingForge) Forge(context.Context, string, *v1alpha1.SCMProviderGenerator) (Forge, error) {
	return f, nil
}

func (*failingForge) Reviews(context.Context, string, *v1alpha1.PullRequestGenerator) (Reviews, error) {
	return nil, errors.New("nobody asks")
}

func (f *failingForge) Repositories(context.Context) ([]gitops.HostRepository, error) {
	if f.fails {
		panic("null")
	}
	var all []gitops.HostRepository
	for i := range 3000 {
		all = append(all, gitops.HostRepository{Repository: fmt.Sprintf("r%d", i), Branch: "main", URL: "https://example.com/" + strings.Repeat("a", 2000)})
	}
	return all, nil
}

func (*failingForge) Branches(_ context.Context, r gitops.HostRepository) ([]gitops.HostRepository, error) {
	return []gitops.HostRepository{r}, nil
}

func (*failingForge) HasPath(context.Context, gitops.HostRepository, string) (bool, error) {
	return true, nil
}

// TestPanicKeepsNoRoom: what panics in the expansion of a large set is its error, and
// others have the room that it had.
func TestPanicKeepsNoRoom(t *testing.T) {
	room, forge := NewRoom(), &failingForge{}
	g := New(testFleet(), fakeRepos{}, anyProject{}, WithHosts(forge), WithRoom(room))
	set := specSet(t, `
goTemplate: true
generators: [{scmProvider: {github: {organization: a}}}]
template:
  metadata: {name: 'app-{{ .repository }}'}
  spec:
    project: default
    source: {repoURL: x, path: x, targetRevision: main}
    destination: {server: 'https://prod.example.com', namespace: x}
`)
	e, err := g.Applications(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	e.Release()
	all := room.free
	forge.fails = true
	if _, err := g.Applications(t.Context(), set); err == nil {
		t.Error("a panic is no error")
	}
	if room.free != all {
		t.Errorf("%d MiB of room are kept", (all-room.free)>>20)
	}
}
