package cache

import (
	"container/list"
	"sync"
)

// Shares is an LRU that owners have in common: none of them keeps more than a
// share, and what goes when all together get too large is of who has most. It
// is safe for concurrent use.
type Shares[K comparable, V any] struct {
	mu           sync.Mutex
	limit, share int64
	size         int64
	items        map[K]*list.Element
	owners       map[string]*owner
}

// owner is who has some of the items, the one used last in front.
type owner struct {
	name  string
	size  int64
	order *list.List
}

type owned[K comparable, V any] struct {
	item[K, V]
	owner *owner
}

// NewShares makes a Shares of at most limit bytes, of which one owner has a
// share at most.
func NewShares[K comparable, V any](limit, share int64) *Shares[K, V] {
	return &Shares[K, V]{limit: limit, share: min(share, limit), items: map[K]*list.Element{}, owners: map[string]*owner{}}
}

// Get returns the value kept under a key, whoever owns it.
func (c *Shares[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[key]
	if !ok {
		var none V
		return none, false
	}
	o := e.Value.(*owned[K, V])
	o.owner.order.MoveToFront(e)
	return o.value, true
}

// Put keeps a value of a size in bytes for an owner, in place of the one before.
// One larger than a share is not kept; any other one is, and others go for it.
func (c *Shares[K, V]) Put(name string, key K, value V, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		c.drop(e)
	}
	if size > c.share {
		return
	}
	o := c.owners[name]
	if o == nil {
		o = &owner{name: name, order: list.New()}
		c.owners[name] = o
	}
	e := o.order.PushFront(&owned[K, V]{item[K, V]{key, value, size}, o})
	c.items[key] = e
	o.size += size
	c.size += size
	for o.size > c.share {
		c.drop(o.order.Back())
	}
	for c.size > c.limit {
		c.drop(c.next(e))
	}
}

// next is what goes first: what the owner who has most did not use for longest.
// What was kept just now stays.
func (c *Shares[K, V]) next(but *list.Element) *list.Element {
	var last *list.Element
	most := int64(-1)
	for _, o := range c.owners {
		if e := o.order.Back(); e != but && o.size > most {
			last, most = e, o.size
		}
	}
	return last
}

func (c *Shares[K, V]) drop(e *list.Element) {
	old := e.Value.(*owned[K, V])
	old.owner.order.Remove(e)
	delete(c.items, old.key)
	c.size -= old.size
	if old.owner.size -= old.size; old.owner.order.Len() == 0 {
		delete(c.owners, old.owner.name)
	}
}
