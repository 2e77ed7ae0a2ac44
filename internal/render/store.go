package render

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"sync"

	"github.com/zeebo/blake3"

	"github.com/causeway-gitops/causeway/internal/worker"
)

// Store keeps renderings beyond the life of a process. It knows nothing of
// what they hold. Both calls are quick and never fail: what cannot be kept
// is rendered again.
type Store interface {
	// Load returns what is kept under a key, the newest first. The bytes are
	// not changed afterwards.
	Load(key [32]byte) [][]byte
	// Save keeps one more under a key, and of those before only the newest.
	Save(key [32]byte, rendering []byte)
}

// generation is raised when a renderer or the form of an entry changes, so
// that nothing older is read.
const generation = 6

// shelf is a Store for entries.
type shelf struct {
	store Store
	// setup is mixed into all keys.
	setup [32]byte
	// limits are those of renders.
	limits Limits

	mu sync.Mutex
	// forgotten applications are not looked up until they were rendered.
	forgotten map[string]bool
}

// maxForgotten bounds the memory of applications that are gone.
const maxForgotten = 10_000

func newShelf(o Options) *shelf {
	if o.Store == nil {
		return &shelf{}
	}
	limits := fmt.Sprintf("%+v %d %d %d %d %d %d", o.Limits.Read, o.Limits.Bytes, o.Limits.Files, o.Limits.Time, o.Limits.Objects, o.Limits.Output, o.Limits.Remotes)
	sum := blake3.Sum256([]byte(fmt.Sprintf("%d\x00%s\x00%s\x00%s", generation, build(), limits, o.Setup)))
	return &shelf{store: o.Store, setup: sum, limits: o.Limits, forgotten: map[string]bool{}}
}

// key differs from an entry's own key for each build of the engine.
func (s *shelf) key(key [32]byte) [32]byte {
	return blake3.Sum256(append(s.setup[:], key[:]...))
}

// size is about how many bytes load reads, where the store tells.
func (s *shelf) size(id string, key [32]byte) int64 {
	told, ok := s.store.(interface{ Size(key [32]byte) int64 })
	if !ok || key == ([32]byte{}) || s.isForgotten(id) {
		return 0
	}
	return told.Size(s.key(key))
}

// load returns what is kept for a key, the newest first.
func (s *shelf) load(id string, key [32]byte) []*entry {
	if s.store == nil || key == ([32]byte{}) || s.isForgotten(id) {
		return nil
	}
	var out []*entry
	for _, text := range s.store.Load(s.key(key)) {
		e, err := decode(text, s.limits)
		if err == nil && subtle.ConstantTimeCompare(e.key[:], key[:]) == 1 {
			out = append(out, e)
		}
	}
	return out
}

func (s *shelf) isForgotten(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.forgotten[id]
}

// save keeps an entry, unless it holds what must not be on a disk.
func (s *shelf) save(id string, e *entry) {
	if s.store == nil || e.key == ([32]byte{}) {
		return
	}
	s.mu.Lock()
	delete(s.forgotten, id)
	s.mu.Unlock()
	if errors.Is(e.err, worker.ErrMemory) {
		return // the next process may have more
	}
	if e.secret || e.sealed || !e.expires.IsZero() || e.tellsPassword() {
		return
	}
	s.store.Save(s.key(e.key), encode(e))
}

func (s *shelf) forget(id string) {
	if s.store == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.forgotten) >= maxForgotten {
		clear(s.forgotten)
	}
	s.forgotten[id] = true
}

// tellsPassword reports whether an address in the entry has a password in it.
func (e *entry) tellsPassword() bool {
	seen := map[string]bool{}
	for _, o := range e.origins {
		seen[o.RepoURL] = true
	}
	for _, w := range e.warnings {
		seen[w.Origin.RepoURL] = true
	}
	for _, r := range e.remotes {
		seen[r.ref.RepoURL] = true
	}
	for address := range seen {
		u, err := url.Parse(address)
		if err != nil {
			continue // an scp-like name, which has no password
		}
		if _, has := u.User.Password(); has {
			return true
		}
	}
	return false
}
