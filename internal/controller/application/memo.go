package application

import (
	"sync"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Memo remembers which desired object is known to equal which live one, so
// that a watch event that changes nothing costs no request. An entry is about
// 150 bytes; Forget frees those of an application that is gone. It is safe
// for concurrent use. What it does not know is asked of the cluster by a dry
// run, so losing it costs requests and nothing else.
type Memo struct {
	mu    sync.RWMutex
	known map[memoKey]equality
}

type memoKey struct {
	server string
	key    gitops.Key
}

// equality is a desired object's digest and a live one's fingerprint, or its
// content where the fingerprint does not tell enough.
type equality struct{ digest, live string }

// NewMemo returns an empty memo.
func NewMemo() *Memo { return &Memo{known: map[memoKey]equality{}} }

// Remember notes that the desired object of this digest equals a live object
// of this fingerprint or content.
func (m *Memo) Remember(server string, key gitops.Key, digest, live string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known[memoKey{server, key}] = equality{digest, live}
}

// Known tells whether exactly this pair was remembered.
func (m *Memo) Known(server string, key gitops.Key, digest, live string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.known[memoKey{server, key}] == equality{digest, live}
}

// Has tells whether anything was remembered of an object.
func (m *Memo) Has(server string, key gitops.Key) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, has := m.known[memoKey{server, key}]
	return has
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
