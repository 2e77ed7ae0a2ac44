// Package cache keeps the values used last, up to a number of bytes.
//
// It does not know what it keeps, and never loads anything by itself.
package cache

import (
	"container/list"
	"sync"
)

// LRU drops what was not used for longest when it gets too large. It is
// safe for concurrent use.
type LRU[K comparable, V any] struct {
	mu    sync.Mutex
	limit int64
	size  int64
	order *list.List
	items map[K]*list.Element
}

type item[K comparable, V any] struct {
	key   K
	value V
	size  int64
}

// New makes an LRU of at most limit bytes.
func New[K comparable, V any](limit int64) *LRU[K, V] {
	return &LRU[K, V]{limit: limit, order: list.New(), items: map[K]*list.Element{}}
}

// Get returns the value kept under a key.
func (c *LRU[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[key]
	if !ok {
		var none V
		return none, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*item[K, V]).value, true
}

// Put keeps a value of a size in bytes, in place of the one before. One larger
// than an eighth of the limit is not kept, so that it cannot displace everything
// else.
func (c *LRU[K, V]) Put(key K, value V, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		c.drop(e)
	}
	if size > c.limit/8 {
		return
	}
	c.items[key] = c.order.PushFront(&item[K, V]{key, value, size})
	c.size += size
	for c.size > c.limit {
		c.drop(c.order.Back())
	}
}

func (c *LRU[K, V]) drop(e *list.Element) {
	old := c.order.Remove(e).(*item[K, V])
	delete(c.items, old.key)
	c.size -= old.size
}
