package git

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// The bounds of a look-up: links that follow one another, and the length of
// what a link may hold.
const (
	maxHops = 32
	maxLink = 4096
)

// lookup finds an entry by its path and follows links, also at the end.
func (t *Tree) lookup(op, name string) (entry, error) {
	if !fs.ValidPath(name) {
		return entry{}, t.outside(name, fs.ErrInvalid)
	}
	e, at, err := t.walk(&work{lookupWork}, name)
	if err != nil {
		return entry{}, err
	}
	if e.mode == submodule {
		return entry{}, t.place(gitops.Problemf(gitops.NotFound, "%s is a Git submodule, which is not fetched: %w", at, fs.ErrNotExist).
			Do("use a source of its own for the submodule's repository"), name)
	}
	if e.hash == "" {
		return entry{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return e, nil
}

// walk returns the entry and its path without links; an entry without a
// hash is not there.
func (t *Tree) walk(w *work, name string) (entry, string, error) {
	rest := strings.Split(name, "/")
	var done []string
	here := entry{name: ".", hash: t.root, mode: folder}
	trail := []entry{here}
	hops := 0
	for len(rest) > 0 {
		if err := w.spend(stepWork); err != nil {
			return entry{}, "", t.place(err, name)
		}
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(done) == 0 {
				return entry{}, "", t.outside(name, fs.ErrPermission)
			}
			done, trail = done[:len(done)-1], trail[:len(trail)-1]
			here = trail[len(trail)-1]
			continue
		}
		if here.mode != folder {
			return entry{}, path.Join(append(done, part)...), nil
		}
		list, err := t.store.entriesFor(w, here.hash)
		if err != nil {
			return entry{}, "", t.place(err, name)
		}
		next, ok := find(list, part)
		if !ok {
			return entry{}, path.Join(append(done, part)...), nil
		}
		if next.mode == link {
			if hops++; hops > maxHops {
				return entry{}, "", t.place(gitops.Problemf(gitops.Invalid, "cannot follow %s: more than %d symbolic links lead to one another", name, maxHops).Do("break the circle of links"), name)
			}
			target, err := t.target(w, next, path.Join(append(done, part)...))
			if err != nil {
				return entry{}, "", err
			}
			rest = append(strings.Split(target, "/"), rest...)
			continue
		}
		done, trail = append(done, part), append(trail, next)
		here = next
	}
	return here, path.Join(done...), nil
}

// target is what a link holds. What is too long for one is not read.
func (t *Tree) target(w *work, e entry, name string) (string, error) {
	if _, ok := t.store.memory.Get(t.store.key("blob", e.hash)); !ok {
		if err := w.spend(2 * readWork); err != nil { // for its size, and for what it holds
			return "", t.place(err, name)
		}
	}
	size, err := t.store.size(e.hash)
	if err != nil {
		return "", t.place(err, name)
	}
	if size > maxLink {
		return "", t.outside(name, fs.ErrPermission)
	}
	data, err := t.blob(name, e)
	if err != nil {
		return "", err
	}
	target := string(data)
	if strings.HasPrefix(target, "/") || target == "" {
		return "", t.outside(name, fs.ErrPermission)
	}
	return target, nil
}

func (t *Tree) outside(name string, cause error) error {
	what := fmt.Sprintf("path %q leads out of the repository", name)
	return t.place(&gitops.Problem{Kind: gitops.Invalid, What: what, Fix: "keep the path, and what it links to, inside the repository", Err: cause}, name)
}
