package git

import (
	"context"
	"sync"
)

// flights are what one does for all who need it: each has a key, as long as it
// is on its way.
type flights struct {
	mu      sync.Mutex
	running map[any]chan struct{}
}

// of is closed when a flight ends; nil where there is none.
func (f *flights) of(key any) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.running[key]
}

// begin makes the caller the one who does it; false where another one is.
func (f *flights) begin(key any) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running[key] != nil {
		return false
	}
	if f.running == nil {
		f.running = map[any]chan struct{}{}
	}
	f.running[key] = make(chan struct{})
	return true
}

func (f *flights) end(key any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.running[key])
	delete(f.running, key)
}

// Turn waits until a server may be asked, on somebody's account. End gives the
// turn back.
type Turn func(context.Context) (end func(), err error)

// Desk waits until references may be searched, and tells on whose account that
// is. End tells that it is over.
type Desk func(context.Context) (account string, end func(), err error)

// lead does what many need in a turn, unless it is done by then: of those who
// have one the first. The others wait without a turn, and do it where that one
// gave up.
func (f *flights) lead(ctx context.Context, key any, turn Turn, done func() (bool, error), do func() error) error {
	for {
		if ok, err := done(); ok {
			return err
		}
		if flight := f.of(key); flight != nil {
			if err := wait(ctx, flight); err != nil {
				return err
			}
			continue
		}
		if did, err := f.inTurn(ctx, key, turn, done, do); did {
			return err
		}
	}
}

// inTurn does it, unless another one began while this one waited for a turn.
func (f *flights) inTurn(ctx context.Context, key any, turn Turn, done func() (bool, error), do func() error) (did bool, err error) {
	end, err := turn(ctx)
	if err != nil {
		return true, err
	}
	defer end()
	if !f.begin(key) {
		return false, nil
	}
	defer f.end(key)
	if ok, err := done(); ok {
		return true, err
	}
	return true, do()
}

func wait(ctx context.Context, flight chan struct{}) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-flight:
		return nil
	}
}
