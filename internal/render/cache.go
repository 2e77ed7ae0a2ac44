package render

import (
	"container/list"
	"sync"
)

// perEntry is the memory of an entry without objects: measured, see the benchmark of
// memory.
const perEntry = 1 << 10

// cache keeps the last rendering of each application. Those used of late are
// kept as objects, in half of the memory; the rest packed; the oldest go.
type cache struct {
	limit int64

	mu     sync.Mutex
	byID   map[string]*list.Element
	recent *list.List // of *slot, the latest first
	hot    int64      // bytes of objects
	cold   int64      // bytes of everything else
}

type slot struct {
	id    string
	entry *entry
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, byID: map[string]*list.Element{}, recent: list.New()}
}

func (c *cache) size() (int, int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.recent.Len(), c.hot + c.cold
}

func (c *cache) look(id string) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byID[id]; ok {
		return el.Value.(*slot).entry
	}
	return nil
}

// replace puts an entry in the place of an old one, unless another render
// was faster.
func (c *cache) replace(id string, old, e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byID[id]
	if !ok || el.Value.(*slot).entry != old {
		return
	}
	c.set(el, e)
	c.fit()
}

func (c *cache) put(id string, e *entry) {
	if c.limit < 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byID[id]
	if !ok {
		el = c.recent.PushFront(&slot{id: id})
		c.byID[id] = el
	}
	c.set(el, e)
	c.fit()
}

func (c *cache) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byID[id]; ok {
		c.remove(el)
	}
}

// set changes a slot and makes it the latest. The lock is held.
func (c *cache) set(el *list.Element, e *entry) {
	s := el.Value.(*slot)
	c.count(s.entry, -1)
	s.entry = e
	c.count(e, 1)
	c.recent.MoveToFront(el)
}

func (c *cache) remove(el *list.Element) {
	s := el.Value.(*slot)
	c.count(s.entry, -1)
	c.recent.Remove(el)
	delete(c.byID, s.id)
}

func (c *cache) count(e *entry, sign int64) {
	if e == nil {
		return
	}
	c.hot += sign * e.hotBytes()
	c.cold += sign * e.coldBytes()
}

// fit brings the memory below the limit: the oldest objects are dropped
// first, then the oldest entries. The latest entry stays. The lock is held.
func (c *cache) fit() {
	for el := c.recent.Back(); el != nil && el != c.recent.Front() && c.hot > c.limit/2; el = el.Prev() {
		s := el.Value.(*slot)
		if s.entry.manifests == nil {
			continue
		}
		c.count(s.entry, -1)
		s.entry = s.entry.cooled()
		c.count(s.entry, 1)
	}
	for c.recent.Len() > 1 && c.hot+c.cold > c.limit {
		c.remove(c.recent.Back())
	}
}
