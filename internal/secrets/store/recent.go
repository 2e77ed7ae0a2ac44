package store

import (
	"context"
	"sync"
	"time"

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

	mu      sync.Mutex
	entries map[provider.Ref]*reading
	swept   time.Time
}

// reading is an entry that was read, or is just being read.
type reading struct {
	done  chan struct{}
	began time.Time
	entry entry.Entry
	err   error
}

// keptFor is how long an entry is kept: no longer than it takes until all who
// were to refresh with it have done so.
const keptFor = time.Minute

func newOpened(store Store, reader provider.Reader) *Opened {
	return &Opened{Store: store, reader: reader, now: time.Now, since: time.Now(), entries: map[provider.Ref]*reading{}}
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
		go o.read(context.WithoutCancel(ctx), ref, one) // ends within longestRead
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
	now := o.now()
	o.sweep(now)
	if one := o.entries[ref]; one != nil && !one.began.Before(since) {
		return one, false
	}
	one = &reading{done: make(chan struct{}), began: now}
	o.entries[ref] = one
	return one, true
}

// longestRead is how long a provider may take for one entry.
const longestRead = 30 * time.Second

func (o *Opened) read(ctx context.Context, ref provider.Ref, one *reading) {
	ctx, cancel := context.WithTimeout(ctx, longestRead)
	defer cancel()
	one.err = crew.Safely(func() (err error) {
		one.entry, err = o.reader.Read(ctx, ref)
		return err
	})
	close(one.done)
	if one.err == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.entries[ref] == one {
		delete(o.entries, ref)
	}
}

// sweep drops what nobody waits for any more.
func (o *Opened) sweep(now time.Time) {
	if now.Sub(o.swept) < keptFor {
		return
	}
	o.swept = now
	for ref, one := range o.entries {
		if now.Sub(one.began) > keptFor {
			delete(o.entries, ref)
		}
	}
}

// Find are the values of entries that match, read now.
func (o *Opened) Find(ctx context.Context, find esv1.Find) (map[string][]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, longestRead)
	defer cancel()
	return o.reader.Find(ctx, find)
}
