package git

import (
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// The bounds of what one look-up, and one digest, may take: units of some
// tenths of a microsecond. The trees of the largest repositories, and as many
// links as are followed, each through some ten folders, take less.
const (
	lookupWork = 1 << 22
	digestWork = 1 << 24
)

// What takes how much: a part of a path, and beside what it holds an object that
// is not in memory.
const (
	stepWork = 4
	readWork = 64
)

// work is what is left for a look-up or digest. It is for one goroutine.
type work struct{ left int }

// spend takes a part; the error says that none is left, and stays.
func (w *work) spend(units int) error {
	if w.left -= units; w.left < 0 {
		return tooMuchWork()
	}
	return nil
}

// over reports whether it took too much.
func (w *work) over() bool { return w.left < 0 }

func tooMuchWork() *gitops.Problem {
	return gitops.Problemf(gitops.Invalid, "cannot follow the symbolic links: they lead through too many folders").
		Do("shorten what the links lead to, write files in place of links, or take out of the repository what holds copies of itself")
}

// entriesFor is entries within some work.
func (s *Store) entriesFor(w *work, hash string) ([]entry, error) {
	if v, ok := s.memory.Get(s.key("entries", hash)); ok {
		return v.([]entry), nil
	}
	list, err := s.entries(hash)
	if err != nil {
		return nil, err
	}
	return list, w.spend(readWork + len(list))
}
