package generate

import (
	"context"
	"errors"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// noting is a fleet that notes how much of a Room is left while it is listed.
type noting struct {
	fakeClusters
	room *Room
	free []bool // whether all of it was, for each time
}

func (n *noting) Clusters(ctx context.Context) ([]gitops.Cluster, error) {
	all := n.room.free.TryAcquire(roomOfAll)
	if all {
		n.room.free.Release(roomOfAll)
	}
	n.free = append(n.free, all)
	return n.fakeClusters.Clusters(ctx)
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
			if used := !room.free.TryAcquire(roomOfAll); used != (tc.tries > 1) {
				t.Errorf("%s: its Applications have room: %t", tc.reason, used)
			} else if !used {
				room.free.Release(roomOfAll)
			}
			out.Release()
			out.Release()
			if !room.free.TryAcquire(roomOfAll) {
				t.Errorf("%s: room is not given back", tc.reason)
			}
		})
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
	if !room.free.TryAcquire(roomOfAll) {
		t.Fatal("room is not given back")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g = New(fleetOf(500), fakeRepos{}, anyProject{}, WithRoom(room))
	if _, err := g.Applications(ctx, set); !errors.Is(err, context.Canceled) {
		t.Errorf("it waits for nobody: %v", err)
	}
}
