package git

import (
	"slices"
	"sync"
	"time"
)

// How many idle processes are kept: of a store for each mode, and of all stores.
// Whoever writes addresses has as many stores as they like.
const (
	spare    = 2
	mostIdle = 64
)

// idle are the processes that nobody reads by, of all stores of a Command: those
// that were used last are at the end.
type idle struct {
	mu  sync.Mutex
	all []*reader
}

// take is a process of a store; nil where none is idle.
func (i *idle) take(o *objects, mode string) (r *reader, closed bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if o.closed {
		return nil, true
	}
	for at, r := range slices.Backward(i.all) {
		if r.of == o && r.mode == mode {
			i.all = slices.Delete(i.all, at, at+1)
			return r, false
		}
	}
	return nil, false
}

// keep is the process that is too much then, for its caller to end; nil for none.
func (i *idle) keep(r *reader) (over *reader) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if r.of.closed || r.of.retired {
		return r
	}
	i.all = append(i.all, r)
	same := func(other *reader) bool { return other.of == r.of && other.mode == r.mode }
	first, n := 0, 0
	for at, other := range slices.Backward(i.all) {
		if same(other) {
			first, n = at, n+1
		}
	}
	switch {
	case n > spare:
	case len(i.all) > mostIdle:
		first = 0
	default:
		return nil
	}
	over = i.all[first]
	i.all = slices.Delete(i.all, first, first+1)
	return over
}

// rested are the processes of a store that nobody used since a time. They are idle
// no more.
func (i *idle) rested(o *objects, since time.Time) []*reader {
	i.mu.Lock()
	defer i.mu.Unlock()
	var old []*reader
	i.all = slices.DeleteFunc(i.all, func(r *reader) bool {
		is := r.of == o && r.used.Before(since)
		if is {
			old = append(old, r)
		}
		return is
	})
	return old
}

func (i *idle) retire(o *objects) {
	i.mu.Lock()
	defer i.mu.Unlock()
	o.retired = true
}

func (i *idle) close(o *objects) {
	i.mu.Lock()
	defer i.mu.Unlock()
	o.closed = true
}
