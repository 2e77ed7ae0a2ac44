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

// lead does what many need, unless it is done by then. Who waits for another
// one to do it does it when that one gave up.
func (f *flights) lead(ctx context.Context, key any, done func() (bool, error), do func() error) error {
	for {
		if ok, err := done(); ok {
			return err
		}
		flight := f.of(key)
		if flight == nil {
			if f.begin(key) {
				defer f.end(key)
				if ok, err := done(); ok { // in the moment before
					return err
				}
				return do()
			}
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-flight:
		}
	}
}
