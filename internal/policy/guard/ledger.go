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
	maps.DeleteFunc(l.gone, func(_ string, at time.Time) bool { return now.Sub(at) >= s.Window })
	fresh := 0
	for _, name := range names {
		if _, known := l.gone[name]; !known {
			fresh++
		}
	}
	gone, of = len(l.gone)+fresh, exist+len(l.gone)-(len(names)-fresh)
	if fresh > 0 && s.Fleet.Holds(gone, of) {
		return false, gone, of
	}
	l.note(names, now)
	return true, gone, of
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

// Hold notes that so many deletions of a subject are held; none takes it out.
func (l *Ledger) Hold(kind, subject string, count int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if count == 0 {
		delete(l.held, kind+" "+subject)
		return
	}
	l.held[kind+" "+subject] = holding{kind, count}
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
