package reply

import (
	"context"
	"fmt"
	"sync"
)

// Account is the memory that looks have together, and one person's looks of it.
// A nil one has no end. It is safe for concurrent use.
type Account struct {
	all, each int64 // bytes

	mu   sync.Mutex
	held int64
	of   map[string]int64
}

// NewAccount makes an account of so many bytes, of which one person has so many at most.
func NewAccount(all, each int64) *Account {
	return &Account{all: all, each: each, of: map[string]int64{}}
}

// Look is Within for a look of a person, whose memory is on the account until
// end is called. Where the context has a look already, it is that one's.
func (a *Account) Look(ctx context.Context, who string, most, memory int64) (_ context.Context, end func()) {
	if ctx.Value(allowanceKey{}) != nil || a == nil {
		return Within(ctx, most, memory), func() {}
	}
	ctx = Within(ctx, most, memory)
	l := &look{account: a, who: who}
	if all, ok := ctx.Value(allowanceKey{}).(*allowance); ok {
		all.look = l
	}
	return ctx, l.end
}

// look is what one look has of an account.
type look struct {
	account *Account
	who     string

	taken int64
	ended bool
}

// take takes memory; not ok where there is none left.
func (l *look) take(memory int64) (ok bool) {
	if l == nil {
		return true
	}
	a := l.account
	a.mu.Lock()
	defer a.mu.Unlock()
	if l.ended || a.held+memory > a.all || a.of[l.who]+memory > a.each {
		return false
	}
	l.count(memory)
	return true
}

// give gives back what was taken.
func (l *look) give(memory int64) {
	if l == nil {
		return
	}
	l.account.mu.Lock()
	defer l.account.mu.Unlock()
	l.count(-min(memory, l.taken))
}

// end gives all of it back. What is still on its way takes nothing any more.
func (l *look) end() {
	l.account.mu.Lock()
	defer l.account.mu.Unlock()
	l.count(-l.taken)
	l.ended = true
}

func (l *look) count(memory int64) {
	l.taken += memory
	l.account.held += memory
	if l.account.of[l.who] += memory; l.account.of[l.who] == 0 {
		delete(l.account.of, l.who)
	}
}

// Crowded is an answer that is not read because looks at clusters have taken all
// the memory that they have.
type Crowded struct{ Cluster, Request string }

// Error names the cluster and the request, and says what to do.
func (e *Crowded) Error() string {
	return fmt.Sprintf("looks at clusters take all the memory that they have, so that what cluster %s answers %s is not read: try again later, and look at fewer applications at a time", e.Cluster, e.Request)
}
