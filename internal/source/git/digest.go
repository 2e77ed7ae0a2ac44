package git

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
)

// digest names content by object names. A folder with links is named by a
// hash over its own name and over what each link leads to; circles of links
// end at the bound on hops.
func (t *Tree) digest(name string, e entry, hops int) (string, error) {
	if e.mode != folder {
		return e.hash, nil
	}
	links, err := t.store.links(e.hash)
	if err != nil {
		return "", t.place(err, name)
	}
	if len(links) == 0 || hops >= maxHops/8 {
		return e.hash, nil
	}
	sum := sha256.New()
	fmt.Fprintln(sum, e.hash)
	for _, l := range links {
		to := path.Join(name, l)
		what := "nothing"
		if target, at, err := t.walk(to); err == nil && target.hash != "" {
			if what, err = t.digest(at, target, hops+1); err != nil {
				return "", err
			}
		}
		fmt.Fprintln(sum, l, what)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// links lists the symbolic links below a folder. The answer is kept by the
// folder's hash, so after a commit only changed folders are looked at again.
func (s *Store) links(hash string) ([]string, error) {
	key := "links" + hash
	if v, ok := s.memory.Get(key); ok {
		return v.([]string), nil
	}
	list, err := s.entries(hash)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range list {
		switch e.mode {
		case link:
			found = append(found, e.name)
		case folder:
			below, err := s.links(e.hash)
			if err != nil {
				return nil, err
			}
			for _, l := range below {
				found = append(found, e.name+"/"+l)
			}
		default: // a file or a submodule leads nowhere
		}
	}
	s.memory.Put(key, found, int64(128+len(found)*64))
	return found, nil
}
