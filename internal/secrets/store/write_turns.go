package store

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// turns has one at a time write an entry, for stores of a cluster: most providers read an
// entry, change a field of it and write it again, and what somebody else wrote in between
// would be lost.
type turns struct {
	mu    sync.Mutex
	taken map[entryOf]*taken
}

type entryOf struct {
	store types.UID
	key   string
}

type taken struct {
	free chan struct{}
	// users write the entry, or wait for it.
	users int
}

func newTurns() *turns { return &turns{taken: map[entryOf]*taken{}} }

// take waits for a turn, which lasts until it is given back.
func (t *turns) take(ctx context.Context, of entryOf) (giveBack func(), err error) {
	t.mu.Lock()
	one := t.taken[of]
	if one == nil {
		one = &taken{free: make(chan struct{}, 1)}
		t.taken[of] = one
	}
	one.users++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(t.taken, of)
		}
	}
	select {
	case one.free <- struct{}{}:
		return func() {
			<-one.free
			leave()
		}, nil
	case <-ctx.Done():
		leave()
		return nil, context.Cause(ctx)
	}
}
