package engine

import (
	"container/list"
	"hash/maphash"
	"slices"
	"sync"
)

// cache keeps parsed templates within a bound of bytes. Files are told apart
// by their identity: a chart that is loaded once is parsed once.
type cache struct {
	limit int64
	seed  maphash.Seed

	mu     sync.Mutex
	bytes  int64
	byKey  map[uint64]*list.Element
	recent *list.List // of kept, the latest first
}

type kept struct {
	key uint64
	*parsed
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, seed: maphash.MakeSeed(), byKey: map[uint64]*list.Element{}, recent: list.New()}
}

func (c *cache) key(files []file) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	for _, f := range files {
		maphash.WriteComparable(&h, f)
	}
	return h.Sum64()
}

func (c *cache) get(files []file) (*parsed, error) {
	key := c.key(files)
	if p := c.find(key, files); p != nil {
		return p, nil
	}
	p, err := parseFiles(files)
	if err != nil {
		return nil, err
	}
	c.put(key, p)
	return p, nil
}

func (c *cache) find(key uint64, files []file) *parsed {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[key]
	if !ok || !slices.Equal(el.Value.(kept).files, files) {
		return nil
	}
	c.recent.MoveToFront(el)
	return el.Value.(kept).parsed
}

func (c *cache) put(key uint64, p *parsed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[key]; ok || p.bytes > c.limit {
		return
	}
	c.byKey[key] = c.recent.PushFront(kept{key, p})
	for c.bytes += p.bytes; c.bytes > c.limit; {
		old := c.recent.Remove(c.recent.Back()).(kept)
		delete(c.byKey, old.key)
		c.bytes -= old.bytes
	}
}
