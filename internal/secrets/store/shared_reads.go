package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// Opened is a store, of which each entry is read once for all who ask for it at
// about the same time.
type Opened struct {
	Store

	reader provider.Reader
	now    func() time.Time
	since  time.Time

	// kept is how many bytes entries have that are kept: of all stores of a shelf.
	kept *atomic.Int64
	// turns are those of who writes: of all stores of a shelf.
	turns *turns
	// pace spaces out what the store's server is asked.
	pace *rate.Limiter
	// asked is told of each call.
	asked func(provider string, took time.Duration, err error)
	// refused is called where a server does not take the store's credentials.
	refused func()

	mu      sync.Mutex
	entries map[provider.Ref]*reading
	// sweeping comes when an entry is to be dropped; nil where none is kept.
	sweeping *time.Timer
}

// reading is an entry that was read, or is just being read.
type reading struct {
	done  chan struct{}
	began time.Time
	entry entry.Entry
	err   error
	// size is what it has in kept.
	size int64
}

const (
	// keptFor is how long an entry is kept, or up to twice as long: until all who were
	// to refresh with it have done so.
	keptFor = time.Minute
	// mostKept bounds what a shelf keeps, in bytes. What is more is given to those who
	// wait for it, and not kept.
	mostKept = provider.MostRead
)

func newOpened(store Store, reader provider.Reader) *Opened {
	return &Opened{
		Store: store, reader: reader, now: time.Now, since: time.Now(), kept: new(atomic.Int64), turns: newTurns(), pace: rate.NewLimiter(callsASecond, callsAtOnce),
		asked: func(string, time.Duration, error) {}, refused: func() {}, entries: map[provider.Ref]*reading{},
	}
}

// over reports whether the store has been open for longer than that.
func (o *Opened) over(most time.Duration) bool { return o.now().Sub(o.since) > most }

// Read is an entry as it was no longer ago than since. An error is not remembered.
func (o *Opened) Read(ctx context.Context, ref provider.Ref, since time.Time) (entry.Entry, error) {
	if _, narrow := o.reader.(provider.Narrow); !narrow {
		ref.Property = ""
	}
	one, first := o.claim(ref, since)
	if first {
		go o.read(context.WithoutCancel(ctx), ref, one) // ends within longestTurn and longestRead
	}
	select {
	case <-one.done:
		return one.entry, one.err
	case <-ctx.Done():
		return entry.Entry{}, context.Cause(ctx)
	}
}

// claim is the reading of an entry, and whether the caller has to do it.
func (o *Opened) claim(ref provider.Ref, since time.Time) (one *reading, first bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	old := o.entries[ref]
	if old != nil && !old.began.Before(since) {
		return old, false
	}
	if old != nil {
		o.drop(ref, old)
	}
	one = &reading{done: make(chan struct{}), began: o.now()}
	o.entries[ref] = one
	if o.sweeping == nil { // nobody may ever ask again
		o.sweeping = time.AfterFunc(keptFor, o.sweep)
	}
	return one, true
}

const (
	// longestRead is how long a provider may take for one entry.
	longestRead = 30 * time.Second
	// longestTurn is how long a call may wait for its turn.
	longestTurn = 2 * time.Minute
	// callsASecond and callsAtOnce bound what one store is asked: when an engine starts
	// anew after hours, all that is due would else be asked for together.
	callsASecond = 100
	callsAtOnce  = 200
)

// turn waits until the store's server may be asked, and is for how long it is then.
func (o *Opened) turn(ctx context.Context) (context.Context, context.CancelFunc, error) {
	waiting, cancel := context.WithTimeout(ctx, longestTurn)
	defer cancel()
	if err := o.pace.Wait(waiting); err != nil {
		return nil, nil, fmt.Errorf("%s is asked %d times a second at most, and this one had no turn: %w", o.Store, callsASecond, err)
	}
	asking, done := context.WithTimeout(ctx, longestRead)
	return asking, done, nil
}

func (o *Opened) read(ctx context.Context, ref provider.Ref, one *reading) {
	asking, done, err := o.turn(ctx)
	if err == nil {
		defer done()
		began := o.now()
		err = crew.Safely(func() (err error) {
			one.entry, err = o.reader.Read(asking, ref)
			return err
		})
		o.asked(o.Provider, o.now().Sub(began), err)
	}
	one.err = err
	o.heed(one.err)
	close(one.done)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.entries[ref] != one {
		return
	}
	one.size = int64(one.entry.Size())
	if over := o.kept.Add(one.size) > mostKept; over || one.err != nil {
		o.drop(ref, one)
	}
}

func (o *Opened) drop(ref provider.Ref, one *reading) {
	delete(o.entries, ref)
	o.kept.Add(-one.size)
}

// sweep drops what nobody waits for any more, also of a store that nobody uses.
func (o *Opened) sweep() {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	for ref, one := range o.entries {
		if now.Sub(one.began) >= keptFor {
			o.drop(ref, one)
		}
	}
	if len(o.entries) == 0 {
		o.sweeping = nil
		return
	}
	o.sweeping.Reset(keptFor)
}

// Find are the values of entries that match, read now.
func (o *Opened) Find(ctx context.Context, find esv1.Find) (found map[string][]byte, err error) {
	asking, done, err := o.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	began := o.now()
	err = crew.Safely(func() (err error) {
		found, err = o.reader.Find(asking, find)
		return err
	})
	o.asked(o.Provider, o.now().Sub(began), err)
	o.heed(err)
	return found, err
}

// heed has a store be opened anew whose credentials are refused.
func (o *Opened) heed(err error) {
	if no := (*provider.Refused)(nil); errors.As(err, &no) && o.over(refusedFor) {
		o.refused()
	}
}
