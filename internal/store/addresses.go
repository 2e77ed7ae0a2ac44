package store

import "sync"

// addresses remembers a bounded number of words: two halves, of which the
// older one is forgotten as a whole. It is safe for concurrent use.
type addresses struct {
	most int

	mu       sync.Mutex
	now, old map[string]struct{}
}

func newAddresses(most int) *addresses {
	return &addresses{most: most, now: map[string]struct{}{}}
}

func (a *addresses) has(word string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.now[word]
	if !ok {
		_, ok = a.old[word]
	}
	return ok
}

func (a *addresses) add(word string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.now) >= a.most/2 {
		a.now, a.old = map[string]struct{}{}, a.now
	}
	a.now[word] = struct{}{}
}

func (a *addresses) clear() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now, a.old = map[string]struct{}{}, nil
}
