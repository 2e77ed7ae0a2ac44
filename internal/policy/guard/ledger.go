package guard

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Ledger counts the applications that were deleted by themselves lately, all
// over the fleet, and what is held now. It has an account for each of those who
// delete, see OfProject. It is kept in memory: an engine that starts anew begins
// to count anew. It is safe for concurrent use.
type Ledger struct {
	mu sync.Mutex
	// gone has by account what was deleted, and when.
	gone map[string]map[string]time.Time
	held map[string]holding
	told func(kind, subject string, count int, approved string)
}

type holding struct {
	kind  string
	count int
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{gone: map[string]map[string]time.Time{}, held: map[string]holding{}}
}

// Admit reports whether an account may delete applications by the fleet's rule,
// and notes them if so. exist is how many there are, these included. Two that
// ask at the same time are told of each other.
func (l *Ledger) Admit(s Settings, by string, names []string, exist int, now time.Time) (ok bool, gone, of int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ok, gone, of = l.judge(s, by, names, nil, exist, now); ok {
		l.note(by, names, now)
	}
	return ok, gone, of
}

// Would tells what Admit would if others delete at the same time, by their
// accounts, and notes nothing.
func (l *Ledger) Would(s Settings, by string, names []string, beside map[string][]string, exist int, now time.Time) (ok bool, gone, of int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.judge(s, by, names, beside, exist, now)
}

// judge forgets what is past the window, and counts. What another account has
// deleted counts up to as much as this one has: who deletes much is not let go
// on, and holds nobody who deletes little.
func (l *Ledger) judge(s Settings, by string, names []string, beside map[string][]string, exist int, now time.Time) (ok bool, gone, of int) {
	l.expire(now.Add(-s.Window))
	going := maps.Clone(beside)
	if going == nil {
		going = map[string][]string{}
	}
	going[by] = slices.Concat(going[by], names)
	for account := range l.gone {
		if _, known := going[account]; !known {
			going[account] = nil
		}
	}
	fresh := l.fresh(by, going[by])
	own := len(l.gone[by]) + fresh
	of = exist
	for account, more := range going {
		counted := min(len(l.gone[account])+l.fresh(account, more), own)
		gone += counted
		of += counted - min(len(more), counted) // what only goes now is in exist
	}
	return fresh == 0 || !s.Fleet.Holds(gone, of), gone, of
}

// fresh is how many of some deletions an account has not yet.
func (l *Ledger) fresh(account string, names []string) int {
	count := 0
	for _, name := range names {
		if _, known := l.gone[account][name]; !known {
			count++
		}
	}
	return count
}

func (l *Ledger) expire(since time.Time) {
	for account, gone := range l.gone {
		maps.DeleteFunc(gone, func(_ string, at time.Time) bool { return !at.After(since) })
		if len(gone) == 0 {
			delete(l.gone, account)
		}
	}
}

// Note counts deletions that a person has approved.
func (l *Ledger) Note(by string, names []string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(by, names, now)
}

func (l *Ledger) note(by string, names []string, now time.Time) {
	if l.gone[by] == nil {
		l.gone[by] = map[string]time.Time{}
	}
	for _, name := range names {
		l.gone[by][name] = now
	}
}

// Watch has a function told when the number of deletions of a subject that are
// held is another one, and by whom they were approved if that is why, as ApprovedBy
// says it. It is not to ask the ledger.
func (l *Ledger) Watch(told func(kind, subject string, count int, approved string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = told
}

// Hold notes that so many deletions of a subject are held; none takes it out.
func (l *Ledger) Hold(kind, subject string, count int) { l.hold(kind, subject, count, "") }

// Release notes that nothing of a subject is held any more, because it was approved.
func (l *Ledger) Release(kind, subject, approved string) { l.hold(kind, subject, 0, approved) }

func (l *Ledger) hold(kind, subject string, count int, approved string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.held[kind+" "+subject].count
	if count == 0 {
		delete(l.held, kind+" "+subject)
	} else {
		l.held[kind+" "+subject] = holding{kind, count}
	}
	if before != count && l.told != nil {
		l.told(kind, subject, count, approved)
	}
}

// Held is how many deletions of all subjects of a kind are held now.
func (l *Ledger) Held(kind string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := 0
	for _, h := range l.held {
		if h.kind == kind {
			sum += h.count
		}
	}
	return sum
}
