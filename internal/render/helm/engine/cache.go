package engine

import (
	"hash/maphash"
	"slices"

	"github.com/causeway-gitops/causeway/internal/cache"
)

// shelf keeps parsed templates within a bound of bytes. Files are told apart
// by their identity: a chart that is loaded once is parsed once.
type shelf struct {
	seed maphash.Seed
	kept *cache.LRU[uint64, *parsed]
	tpls *tplCache
}

func newShelf(limit int64) *shelf {
	return &shelf{seed: maphash.MakeSeed(), kept: cache.New[uint64, *parsed](limit), tpls: newTplCache()}
}

func (s *shelf) key(files []file) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	for _, f := range files {
		maphash.WriteComparable(&h, f)
	}
	return h.Sum64()
}

func (s *shelf) get(files []file) (*parsed, error) {
	key := s.key(files)
	if p := s.find(key, files); p != nil {
		return p, nil
	}
	p, err := parseFiles(files, s.tpls)
	if err != nil {
		return nil, err
	}
	s.kept.Put(key, p, p.bytes)
	return p, nil
}

// find is what is kept under a key, if it is of these files.
func (s *shelf) find(key uint64, files []file) *parsed {
	if p, ok := s.kept.Get(key); ok && slices.Equal(p.files, files) {
		return p
	}
	return nil
}
