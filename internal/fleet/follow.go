package fleet

import (
	"context"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Times of following the kinds.
const (
	settle     = 50 * time.Millisecond  // several definitions come at once
	lookAgain  = 200 * time.Millisecond // a definition is established before it is served, and gone before it is not
	lookLater  = time.Second            // at most
	lookFor    = 2 * time.Minute
	pollKinds  = 30 * time.Second // while somebody waits for a kind, or for room
	crdVersion = "v1"
)

// follower keeps the catalog up to date and wakes who waits for a kind.
type follower struct {
	c     *Cluster
	turns *definitionTurns
	// told is what the callbacks were told last.
	told *kinds
}

// followKinds follows the cluster's kinds until ctx ends.
func (c *Cluster) followKinds(ctx context.Context) {
	if !c.link.awaitUp(ctx) {
		return
	}
	f := &follower{c: c, turns: newDefinitionTurns()}
	f.told, _ = c.catalog.get(ctx)
	d := &definitions{turns: f.turns, there: map[string]bool{}, known: func(name string) bool {
		k, err := c.catalog.get(ctx)
		return err == nil && k.names[name]
	}}
	crds := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: crdVersion, Resource: "customresourcedefinitions"}
	w := newWatcher(c, metadataSource(c.metadata.Resource(crds)), d, "customresourcedefinitions.apiextensions.k8s.io")
	c.owned.Go(func() { w.run(ctx) })
	f.run(ctx)
}

func (f *follower) run(ctx context.Context) {
	tick := time.NewTicker(pollKinds)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.turns.ring:
		case <-tick.C:
			if !f.c.somebodyWaits() && !f.c.catalog.crowdedOut() {
				continue
			}
		}
		f.look(ctx)
	}
}

// look asks for the kinds until all definitions are served that are expected to
// be, and none that is expected to be gone. A look that fails tells neither. What
// has no room is looked for at the next tick: others have to leave first.
func (f *follower) look(ctx context.Context) {
	expected, deadline := map[string]bool{}, time.Now().Add(lookFor)
	for wait := settle; sleep(ctx, wait); wait = min(max(2*wait, lookAgain), lookLater) {
		f.turns.take(expected)
		now, err := f.c.catalog.refresh(ctx)
		switch {
		case isCrowded(err):
			return
		case err != nil:
			f.c.link.kick()
		default:
			f.tell(now)
			maps.DeleteFunc(expected, func(name string, served bool) bool { return name == "" || now.names[name] == served })
		}
		if len(expected) == 0 || time.Now().After(deadline) {
			return
		}
	}
}

func (f *follower) tell(now *kinds) {
	server := f.c.Desc().Server
	if f.told == nil || !slices.Equal(f.told.facts.APIVersions, now.facts.APIVersions) {
		f.c.o.OnKinds(server)
	}
	f.told = now
	for gk, apps := range f.c.served(now) {
		for app := range apps {
			f.c.o.OnChange(gitops.Change{Server: server, App: app, Key: gitops.Key{Group: gk.Group, Kind: gk.Kind}, Asked: true})
		}
	}
}
