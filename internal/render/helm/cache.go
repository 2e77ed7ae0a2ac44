package helm

import (
	"container/list"
	"strings"
	"sync"

	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// loaded is a chart with what was learnt of its text. The chart must be
// cloned before use.
type loaded struct {
	*chart.Chart
	// listsAPIs tells that a template uses the list of API versions in
	// another way than asking for one of them.
	listsAPIs bool
}

func learn(c *chart.Chart) loaded { return loaded{Chart: c, listsAPIs: listsAPIs(c)} }

func listsAPIs(c *chart.Chart) bool {
	for _, t := range c.Templates {
		text := string(t.Data)
		if strings.Count(text, ".APIVersions") != strings.Count(text, ".APIVersions.Has") {
			return true
		}
	}
	for _, d := range c.Dependencies() {
		if listsAPIs(d) {
			return true
		}
	}
	return false
}

// cache keeps charts by the digest of their folder, within a bound of bytes.
type cache struct {
	limit int64

	mu     sync.Mutex
	bytes  int64
	byKey  map[string]*list.Element
	recent *list.List // of keptChart, the latest first
}

type keptChart struct {
	digest string
	chart  loaded
	bytes  int64
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, byKey: map[string]*list.Element{}, recent: list.New()}
}

// get returns a copy that the caller may change.
func (c *cache) get(digest string) (loaded, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[digest]
	if !ok {
		return loaded{}, false
	}
	c.recent.MoveToFront(el)
	kept := el.Value.(keptChart).chart
	return loaded{clone(kept.Chart), kept.listsAPIs}, true
}

func (c *cache) put(digest string, ch loaded, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[digest]; ok || bytes > c.limit {
		return
	}
	c.byKey[digest] = c.recent.PushFront(keptChart{digest, ch, bytes})
	for c.bytes += bytes; c.bytes > c.limit; {
		old := c.recent.Remove(c.recent.Back()).(keptChart)
		delete(c.byKey, old.digest)
		c.bytes -= old.bytes
	}
}
