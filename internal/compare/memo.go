package compare

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Memo remembers which desired object is known to equal which live one, so
// that a watch event that changes nothing costs no request. An entry is about
// 200 bytes; those that nobody asks for any more go. It is safe
// for concurrent use. What it does not know is asked of the cluster by a dry
// run, so losing it costs requests and nothing else.
type Memo struct {
	now func() time.Time

	mu    sync.RWMutex
	known map[memoKey]*equality
	// most is how many entries there are before those are looked for that nobody
	// asks for.
	most int
}

type memoKey struct {
	server string
	key    gitops.Key
}

// equality is a desired object's digest and a live one's fingerprint, or its
// content where the fingerprint does not tell enough.
type equality struct {
	digest, live string
	// asked is when it was asked for last, in seconds.
	asked atomic.Int64
}

const (
	// fewestKnown is how many entries are kept without looking for those that nobody
	// asks for.
	fewestKnown = 1 << 16
	// knownFor is how long an entry stays that nobody asks for: each look at an
	// application asks for all of its own.
	knownFor = time.Hour
)

// NewMemo returns an empty memo.
func NewMemo() *Memo {
	return &Memo{now: time.Now, known: map[memoKey]*equality{}, most: fewestKnown}
}

// Remember notes that the desired object of this digest equals a live object
// of this fingerprint or content.
func (m *Memo) Remember(server string, key gitops.Key, digest, live string) {
	e, now := &equality{digest: digest, live: live}, m.now()
	e.asked.Store(now.Unix())
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known[memoKey{server, key}] = e
	if len(m.known) >= m.most {
		m.tidy(now)
	}
}

// tidy drops what nobody asks for. The lock is held.
func (m *Memo) tidy(now time.Time) {
	since := now.Add(-knownFor).Unix()
	maps.DeleteFunc(m.known, func(_ memoKey, e *equality) bool { return e.asked.Load() < since })
	m.most = max(fewestKnown, 2*len(m.known)) //nolint:mnd // as many may come before the next time
}

// Known reports whether exactly this pair was remembered.
func (m *Memo) Known(server string, key gitops.Key, digest, live string) bool {
	e := m.of(server, key)
	return e != nil && e.digest == digest && e.live == live
}

// Has reports whether anything was remembered of an object.
func (m *Memo) Has(server string, key gitops.Key) bool { return m.of(server, key) != nil }

// of is what was remembered of an object, for who asks for it.
func (m *Memo) of(server string, key gitops.Key) *equality {
	m.mu.RLock()
	defer m.mu.RUnlock()
	e := m.known[memoKey{server, key}]
	if e != nil {
		e.asked.Store(m.now().Unix())
	}
	return e
}

// Pass drops what is known of objects that a wave deleted, and of its hooks: names
// out of a hash or of a run do not come again, and hooks are never compared.
func (m *Memo) Pass(server string, outcome []gitops.Result) {
	for i := range outcome {
		if o := &outcome[i]; o.Err == nil && (o.Hook || o.Verb == gitops.Prune) {
			m.Forget(server, o.Key)
		}
	}
}

// Forget drops what is known of an object.
func (m *Memo) Forget(server string, key gitops.Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.known, memoKey{server, key})
}
