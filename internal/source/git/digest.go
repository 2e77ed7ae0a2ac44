package git

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
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
	work     *work
	followed int
	// refusal is why it was given up, and where.
	refusal *gitops.Problem
	where   string
	// unsure tells that something could not be read, which may be there the next time.
	unsure bool
}

// digested is what a digest came to in a tree: all commits with that tree, and
// all who ask for it, share it.
type digested struct {
	sum     string
	refusal *gitops.Problem
	where   string
}

// of is the answer in a tree.
func (d digested) of(t *Tree) (string, error) {
	if d.refusal != nil {
		return "", t.place(d.refusal, d.where)
	}
	return d.sum, nil
}

// digestOf is the digest of a folder. It is remembered where links are followed.
func (t *Tree) digestOf(name string, e entry) (string, error) {
	key := t.store.key("digest", t.root+" "+name)
	if v, ok := t.store.memory.Get(key); ok {
		return v.(digested).of(t)
	}
	d := &digesting{tree: t, work: &work{digestWork}}
	sum, err := d.digest(name, e, 0)
	if err == nil && d.followed > 0 && !d.unsure || d.refusal != nil {
		out := digested{sum, d.refusal, d.where}
		t.store.memory.Put(key, out, int64(len(key)+len(sum)+len(d.where)+512)) //nolint:mnd // about what a Problem takes
	}
	return sum, err
}

// digest names content by object names. A folder with links is named by a
// hash over its own name and over what each link leads to; circles of links
// end at the bound on hops.
func (d *digesting) digest(name string, e entry, hops int) (string, error) {
	if e.mode != folder {
		return e.hash, nil
	}
	links, err := d.tree.store.links(d.work, e.hash)
	if err != nil {
		return "", d.failed(err, name)
	}
	if len(links) == 0 || hops >= maxHops/8 {
		return e.hash, nil
	}
	if d.followed += len(links); d.followed > maxFollowed {
		return "", d.failed(tooManyLinks("more than %d are followed", maxFollowed), name)
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

// failed names the folder in an error. One of the bounds stays so for the tree.
func (d *digesting) failed(err error, name string) error {
	if p := invalid(err); p != nil {
		d.refusal, d.where = p, name
	}
	return d.tree.place(err, name)
}

// target names what a link leads to.
func (d *digesting) target(name string, hops int) (string, error) {
	target, at, err := d.tree.walk(d.work, name)
	if d.work.over() {
		return "", d.failed(tooMuchWork(), name)
	}
	if err != nil || target.hash == "" {
		d.unsure = d.unsure || err != nil && invalid(err) == nil
		return "nothing", nil // that it cannot be followed is all that can be read of it
	}
	return d.digest(at, target, hops+1)
}

// invalid is the Problem where only another content helps; nil for other errors.
func invalid(err error) *gitops.Problem {
	var p *gitops.Problem
	if errors.As(err, &p) && p.Kind == gitops.Invalid {
		return p
	}
	return nil
}

func tooManyLinks(format string, args ...any) *gitops.Problem {
	return gitops.Problemf(gitops.Invalid, "cannot tell the content of a folder by its symbolic links: "+format, args...).
		Do("write files in place of links, or take out of the repository what holds copies of itself")
}

// links lists the symbolic links below a folder. The answer is kept by the
// folder's hash, so after a commit only changed folders are looked at again.
func (s *Store) links(w *work, hash string) ([]string, error) {
	key := s.key("links", hash)
	if v, ok := s.memory.Get(key); ok {
		found := v.([]string)
		return found, w.spend(1 + len(found))
	}
	list, err := s.entriesFor(w, hash)
	if err != nil {
		return nil, err
	}
	var found []string
	size := 0
	for _, e := range list {
		more, err := s.linksOf(w, e)
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
func (s *Store) linksOf(w *work, e entry) ([]string, error) {
	switch e.mode {
	case link:
		return []string{e.name}, nil
	case folder:
		below, err := s.links(w, e.hash)
		out := make([]string, 0, len(below))
		for _, l := range below {
			out = append(out, e.name+"/"+l)
		}
		return out, err
	default: // a file or a submodule leads nowhere
		return nil, nil
	}
}
