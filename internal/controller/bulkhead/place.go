package bulkhead

import (
	"context"
	"slices"
	"sync"
)

// place is a worker's, while it works on one object. What fetches several
// repositories at a time is away when one of them is waited for.
type place struct {
	bulkhead *Bulkhead
	owner    Owner

	mu   sync.Mutex
	held bool
	// over tells that the work has ended: nobody gives back what is taken now.
	over bool
}

// turn is one that wants its worker back.
type turn struct {
	owner   Owner
	granted chan struct{}
}

// Away gives the worker free while it waits. Where there is no more room to
// wait, it keeps the worker: its project has a share of those, too.
func (p *place) Away(ctx context.Context, host string, wait func() error) error {
	keys := p.owner.waiting(host)
	if !p.bulkhead.sit(keys) {
		return wait()
	}
	p.leave()
	err := p.seated(keys, wait)
	if again := p.resume(ctx); err == nil {
		err = again
	}
	return err
}

// seated waits, and gives the room for that back also by a panic.
func (p *place) seated(keys []key, wait func() error) error {
	defer p.bulkhead.rise(keys)
	return wait()
}

// leave gives the worker back, once.
func (p *place) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held {
		p.held = false
		p.bulkhead.leave(p.owner)
	}
}

// end is the last one to leave.
func (p *place) end() {
	p.leave()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
}

// resume waits for a worker, unless it has one again.
func (p *place) resume(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held || p.over {
		return nil
	}
	if err := p.bulkhead.resume(ctx, p.owner); err != nil {
		return err
	}
	p.held = true
	return nil
}

// sit takes room to wait.
func (b *Bulkhead) sit(keys []key) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lot.room(keys) == 0 {
		return false
	}
	b.lot.take(keys)
	return true
}

// rise gives it back.
func (b *Bulkhead) rise(keys []key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lot.give(keys)
}

// resume waits for a worker; the error is the context's.
func (b *Bulkhead) resume(ctx context.Context, o Owner) error {
	t := &turn{owner: o, granted: make(chan struct{})}
	b.mu.Lock()
	b.back = append(b.back, t)
	woken := b.settle()
	b.mu.Unlock()
	b.ring(woken)
	select {
	case <-t.granted:
		return nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.back, t); i >= 0 {
		b.back = slices.Delete(b.back, i, i+1)
		return ctx.Err()
	}
	return nil // at the same moment
}
