package git

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// The bounds of links: what their paths below one folder take, in bytes with
// what keeps them, and how many are followed for one digest. Folders that hold
// one another many times have a link at more paths than can be counted.
const (
	maxLinks    = 8 << 20
	maxFollowed = 50_000
	linkCost    = 16 // of a text besides its bytes
)

// digesting is one digest: links that lead to folders with links multiply.
type digesting struct {
	tree     *Tree
	followed int
}

// digest names content by object names. A folder with links is named by a
// hash over its own name and over what each link leads to; circles of links
// end at the bound on hops.
func (d *digesting) digest(name string, e entry, hops int) (string, error) {
	if e.mode != folder {
		return e.hash, nil
	}
	links, err := d.tree.store.links(e.hash)
	if err != nil {
		return "", d.tree.place(err, name)
	}
	if len(links) == 0 || hops >= maxHops/8 {
		return e.hash, nil
	}
	if d.followed += len(links); d.followed > maxFollowed {
		return "", d.tree.place(tooManyLinks("more than %d are followed", maxFollowed), name)
	}
	sum := sha256.New()
	fmt.Fprintln(sum, e.hash)
	for _, l := range links {
		what, err := d.target(path.Join(name, l), hops)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(sum, l, what)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// target names what a link leads to.
func (d *digesting) target(name string, hops int) (string, error) {
	target, at, err := d.tree.walk(name)
	if err != nil || target.hash == "" {
		return "nothing", nil //nolint:nilerr // that it cannot be followed is all that can be read of it
	}
	return d.digest(at, target, hops+1)
}

func tooManyLinks(format string, args ...any) *gitops.Problem {
	return gitops.Problemf(gitops.Invalid, "cannot tell the content of a folder by its symbolic links: "+format, args...).
		Do("write files in place of links, or take out of the repository what holds copies of itself")
}

// links lists the symbolic links below a folder. The answer is kept by the
// folder's hash, so after a commit only changed folders are looked at again.
func (s *Store) links(hash string) ([]string, error) {
	key := s.key("links", hash)
	if v, ok := s.memory.Get(key); ok {
		return v.([]string), nil
	}
	list, err := s.entries(hash)
	if err != nil {
		return nil, err
	}
	var found []string
	size := 0
	for _, e := range list {
		more, err := s.linksOf(e)
		if err != nil {
			return nil, err
		}
		for _, l := range more {
			if size += len(l) + linkCost; size > maxLinks {
				return nil, tooManyLinks("their paths take more than %d MiB", maxLinks>>20)
			}
		}
		found = append(found, more...)
	}
	s.memory.Put(key, found, int64(128+size)) //nolint:mnd // what keeps an empty list
	return found, nil
}

// linksOf is an entry that is a link, or the links below one that is a folder.
func (s *Store) linksOf(e entry) ([]string, error) {
	switch e.mode {
	case link:
		return []string{e.name}, nil
	case folder:
		below, err := s.links(e.hash)
		out := make([]string, 0, len(below))
		for _, l := range below {
			out = append(out, e.name+"/"+l)
		}
		return out, err
	default: // a file or a submodule leads nowhere
		return nil, nil
	}
}
