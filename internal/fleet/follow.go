package fleet

import (
	"context"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

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

// definitions takes the events of CustomResourceDefinitions, of which only
// the names matter.
type definitions struct {
	changed chan turn
	// known reports whether a definition is in the catalog.
	known  func(name string) bool
	listed []string
	synced bool
}

// turn is that a definition came or went; without a name any may have.
type turn struct {
	name string
	gone bool
}

func (d *definitions) begin() { d.listed = nil }

func (d *definitions) page(o metav1.Object) { d.listed = append(d.listed, o.GetName()) }

// end compares the first list with what discovery told; after a later one,
// which follows an interruption, some may have gone too.
func (d *definitions) end(string) {
	if d.synced {
		d.tell(turn{})
	}
	for _, name := range d.listed {
		if !d.synced && !d.known(name) {
			d.tell(turn{name: name})
		}
	}
	d.listed, d.synced = nil, true
}

func (d *definitions) event(t watch.EventType, o metav1.Object) {
	d.tell(turn{o.GetName(), t == watch.Deleted})
}

func (d *definitions) gone() {}

func (d *definitions) tell(t turn) {
	select {
	case d.changed <- t:
	default: // full: a look at all of them is due anyway
	}
}

// follower keeps the catalog up to date and wakes who waits for a kind.
type follower struct {
	c       *Cluster
	changed chan turn
	// told is what the callbacks were told last.
	told *kinds
}

// followKinds follows the cluster's kinds until ctx ends.
func (c *Cluster) followKinds(ctx context.Context) {
	if !c.link.awaitUp(ctx) {
		return
	}
	f := &follower{c: c, changed: make(chan turn, 256)}
	f.told, _ = c.catalog.get(ctx)
	d := &definitions{changed: f.changed, known: func(name string) bool {
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
		expected := map[string]bool{}
		select {
		case <-ctx.Done():
			return
		case t := <-f.changed:
			expected[t.name] = !t.gone
		case <-tick.C:
			if !f.c.somebodyWaits() && !f.c.catalog.crowdedOut() {
				continue
			}
		}
		f.look(ctx, expected)
	}
}

// look asks for the kinds until all definitions are served that are expected to
// be, and none that is expected to be gone. A look that fails tells neither. What
// has no room is looked for at the next tick: others have to leave first.
func (f *follower) look(ctx context.Context, expected map[string]bool) {
	deadline := time.Now().Add(lookFor)
	for wait := settle; sleep(ctx, wait); wait = min(max(2*wait, lookAgain), lookLater) {
		drain(f.changed, expected)
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

func drain(from <-chan turn, into map[string]bool) {
	for {
		select {
		case t := <-from:
			into[t.name] = !t.gone
		default:
			return
		}
	}
}
