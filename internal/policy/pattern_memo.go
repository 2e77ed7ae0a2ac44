package policy

import "github.com/causeway-gitops/causeway/internal/cache"

const (
	// kept is how many bytes of what patterns become are kept, of each kind.
	kept = 4 << 20
	// weight is how many bytes a letter of a pattern becomes, at most.
	weight = 64
)

// memo keeps what texts of projects become: the same few are asked for of every
// object. Whoever owns a project writes as many as they like, so what was not
// asked for longest is dropped.
type memo[K comparable, V any] struct {
	known *cache.LRU[K, V]
	read  func(K) V
	// letters is how long a text is.
	letters func(K) int
}

func newMemo[K comparable, V any](read func(K) V, letters func(K) int) *memo[K, V] {
	return &memo[K, V]{cache.New[K, V](kept), read, letters}
}

func (m *memo[K, V]) of(key K) V {
	if known, ok := m.known.Get(key); ok {
		return known
	}
	value := m.read(key)
	m.known.Put(key, value, int64(m.letters(key)+weight)*weight)
	return value
}

func length(text string) int { return len(text) }
