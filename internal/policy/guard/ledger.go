package guard

import (
	"maps"
	"sync"
	"time"
)

// Ledger counts the applications that were deleted by themselves lately, all
// over the fleet, and what is held now. It is kept in memory: an engine that
// starts anew begins to count anew. It is safe for concurrent use.
type Ledger struct {
	mu   sync.Mutex
	gone map[string]time.Time
	held map[string]holding
	told func(kind, subject string, count int)
}

type holding struct {
	kind  string
	count int
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{gone: map[string]time.Time{}, held: map[string]holding{}}
}

// Admit tells whether applications may be deleted by the fleet's rule, and
// notes them if so. exist is how many there are, these included. Two that ask
// at the same time are told of each other.
func (l *Ledger) Admit(s Settings, names []string, exist int, now time.Time) (ok bool, gone, of int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ok, gone, of = l.judge(s, names, exist, now); ok {
		l.note(names, now)
	}
	return ok, gone, of
}

// Would tells what Admit would, and notes nothing.
func (l *Ledger) Would(s Settings, names []string, exist int, now time.Time) (ok bool, gone, of int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.judge(s, names, exist, now)
}

// judge forgets what is past the window, and counts.
func (l *Ledger) judge(s Settings, names []string, exist int, now time.Time) (ok bool, gone, of int) {
	maps.DeleteFunc(l.gone, func(_ string, at time.Time) bool { return now.Sub(at) >= s.Window })
	fresh := 0
	for _, name := range names {
		if _, known := l.gone[name]; !known {
			fresh++
		}
	}
	gone, of = len(l.gone)+fresh, exist+len(l.gone)-(len(names)-fresh)
	return fresh == 0 || !s.Fleet.Holds(gone, of), gone, of
}

// Note counts deletions that a person has approved.
func (l *Ledger) Note(names []string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(names, now)
}

func (l *Ledger) note(names []string, now time.Time) {
	for _, name := range names {
		l.gone[name] = now
	}
}

// Watch has a function told when the number of deletions of a subject that are
// held is another one. It is not to ask the ledger.
func (l *Ledger) Watch(told func(kind, subject string, count int)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = told
}

// Hold notes that so many deletions of a subject are held; none takes it out.
func (l *Ledger) Hold(kind, subject string, count int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.held[kind+" "+subject].count
	if count == 0 {
		delete(l.held, kind+" "+subject)
	} else {
		l.held[kind+" "+subject] = holding{kind, count}
	}
	if before != count && l.told != nil {
		l.told(kind, subject, count)
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
