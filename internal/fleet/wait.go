package fleet

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// waits are the kinds that applications asked a cluster for and that it does
// not serve. Each look of an application says all of them anew.
type waits struct {
	// looked are those of its own objects, heeded those of what it depends on.
	looked, heeded map[string]map[schema.GroupKind]struct{}
}

func newWaits() waits {
	return waits{looked: map[string]map[schema.GroupKind]struct{}{}, heeded: map[string]map[schema.GroupKind]struct{}{}}
}

func (w *waits) any() bool { return len(w.looked)+len(w.heeded) > 0 }

func (w *waits) size() (n int) {
	for _, all := range []map[string]map[schema.GroupKind]struct{}{w.looked, w.heeded} {
		for _, kinds := range all {
			n += len(kinds)
		}
	}
	return n
}

// take returns who waits for kinds that are served now, and forgets that.
func (w *waits) take(served func(schema.GroupKind) bool) map[schema.GroupKind]map[string]struct{} {
	out := map[schema.GroupKind]map[string]struct{}{}
	for _, all := range []map[string]map[schema.GroupKind]struct{}{w.looked, w.heeded} {
		for app, kinds := range all {
			for gk := range kinds {
				if !served(gk) {
					continue
				}
				if out[gk] == nil {
					out[gk] = map[string]struct{}{}
				}
				out[gk][app] = struct{}{}
				delete(kinds, gk)
			}
			if len(kinds) == 0 {
				delete(all, app)
			}
		}
	}
	return out
}

// lack remembers which kinds an application looked for in vain, in place of
// those of its look before, wherever that was.
func (c *Cluster) lack(tracking string, kinds []schema.GroupKind) {
	if tracking == "" {
		return
	}
	kinds = slices.DeleteFunc(kinds, func(gk schema.GroupKind) bool { return gitops.CheckKind(gk.WithVersion("")) != nil })
	if before := c.asks.look(tracking, c, len(kinds) > 0); before != nil && before != c {
		before.lack(tracking, nil)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waits.looked, tracking)
	if len(kinds) == 0 || c.stopped {
		return
	}
	c.waits.looked[tracking] = map[schema.GroupKind]struct{}{}
	for _, gk := range kinds {
		c.waits.looked[tracking][gk] = struct{}{}
	}
}

// await remembers that an application depends on a kind that is not served.
func (c *Cluster) await(tracking string, gk schema.GroupKind) {
	if tracking == "" || gitops.CheckKind(gk.WithVersion("")) != nil {
		return
	}
	c.asks.heed(tracking, c)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return
	}
	if c.waits.heeded[tracking] == nil {
		c.waits.heeded[tracking] = map[schema.GroupKind]struct{}{}
	}
	c.waits.heeded[tracking][gk] = struct{}{}
}

func (c *Cluster) somebodyWaits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waits.any()
}

// served takes out of the waits what is served now.
func (c *Cluster) served(now *kinds) map[schema.GroupKind]map[string]struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waits.take(func(gk schema.GroupKind) bool { return len(now.byKind[gk]) > 0 })
}

// unheed forgets what an application depends on.
func (c *Cluster) unheed(tracking string) {
	for _, r := range c.runningWatches() {
		r.store.heeds.drop(tracking)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waits.heeded, tracking)
}

// Unheed forgets what an application depends on, on all clusters: it has gone,
// or says anew by Cluster.Heed what that is.
func (f *Fleet) Unheed(tracking string) {
	for _, c := range f.asks.unheed(tracking) {
		c.unheed(tracking)
	}
}

// Forget forgets an application: what it waits for, and depends on.
func (f *Fleet) Forget(tracking string) {
	f.Unheed(tracking)
	if c := f.asks.look(tracking, nil, false); c != nil {
		c.lack(tracking, nil)
	}
}

// asks knows on which clusters an application waits for something. It is safe
// for concurrent use.
type asks struct {
	mu sync.Mutex
	// looked is where it looked for kinds in vain, heeded where what it depends on is.
	looked map[string]*Cluster
	heeded map[string]map[*Cluster]struct{}
}

func newAsks() *asks {
	return &asks{looked: map[string]*Cluster{}, heeded: map[string]map[*Cluster]struct{}{}}
}

// look reports whether an application waits on a cluster, and returns where it did.
func (a *asks) look(tracking string, c *Cluster, waits bool) (before *Cluster) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before = a.looked[tracking]
	delete(a.looked, tracking)
	if waits {
		a.looked[tracking] = c
	}
	return before
}

func (a *asks) heed(tracking string, c *Cluster) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.heeded[tracking] == nil {
		a.heeded[tracking] = map[*Cluster]struct{}{}
	}
	a.heeded[tracking][c] = struct{}{}
}

// unheed returns the clusters that an application depended on, and forgets them.
func (a *asks) unheed(tracking string) []*Cluster {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := slices.Collect(maps.Keys(a.heeded[tracking]))
	delete(a.heeded, tracking)
	return all
}

// leave forgets a cluster that is gone.
func (a *asks) leave(c *Cluster) {
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.looked, func(_ string, at *Cluster) bool { return at == c })
	maps.DeleteFunc(a.heeded, func(_ string, all map[*Cluster]struct{}) bool {
		delete(all, c)
		return len(all) == 0
	})
}
