package git

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Tree is a commit's folder, read from the object store. Symbolic links are
// followed inside the repository; submodules are not fetched and seem absent.
type Tree struct {
	store *Store
	root  string
	// commit is what the tree is of; empty for one of a vault.
	commit string
	at     gitops.Origin
}

var _ gitops.Tree = (*Tree)(nil)

// entry is one line of a folder as git keeps it.
type entry struct {
	name, hash string
	mode       kind
}

type kind uint8

const (
	file kind = iota
	folder
	link
	submodule
)

// entries returns a folder's entries in the order of their names.
func (s *Store) entries(hash string) ([]entry, error) {
	key := s.key("entries", hash)
	if v, ok := s.memory.Get(key); ok {
		return v.([]entry), nil
	}
	got, data, err := s.objects.read(hash, max(s.limit, 16<<20))
	if err != nil {
		return nil, s.unread(hash, err)
	}
	if got != "tree" {
		return nil, malformed("object %s is a %s, not a tree", hash, got)
	}
	list, err := parseTree(data, len(hash)/2)
	if err != nil {
		return nil, malformed("tree %s: %w", hash, err)
	}
	s.memory.Put(key, list, int64(len(data)+len(list)*56+len(key)))
	return list, nil
}

// malformed is about an object that is there and is no good.
func malformed(format string, args ...any) *gitops.Problem {
	return gitops.Problemf(gitops.Invalid, "cannot read the commit: "+format, args...).Do("run `git fsck` in a clone, and push a commit without what it names")
}

func parseTree(data []byte, width int) ([]entry, error) {
	var list []entry
	for len(data) > 0 {
		mode, rest, ok := bytes.Cut(data, []byte{' '})
		if !ok {
			return nil, errors.New("an entry has no mode")
		}
		kind, err := kindOf(string(mode))
		if err != nil {
			return nil, err
		}
		name, rest, ok := bytes.Cut(rest, []byte{0})
		if !ok || len(rest) < width {
			return nil, errors.New("an entry is cut off")
		}
		if !isName(string(name)) {
			return nil, fmt.Errorf("%q is no name of an entry", name)
		}
		list = append(list, entry{string(name), hex.EncodeToString(rest[:width]), kind})
		data = rest[width:]
	}
	slices.SortStableFunc(list, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

// isName reports whether a name is one segment of a path.
func isName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.Contains(name, "/")
}

// The bits of a mode that tell the kind, and the kinds that are not submodules.
const (
	kindBits    = 0o170000
	fileBits    = 0o100000
	folderBits  = 0o040000
	linkBits    = 0o120000
	longestMode = 7
)

// kindOf reads a mode as git does: an octal number, zeros before it or not, and
// what is neither a file nor a folder nor a link is a submodule. Where the two
// differ, git takes a commit for whole of which we would look for more.
func kindOf(mode string) (kind, error) {
	bits, err := strconv.ParseUint(mode, 8, 32)
	if err != nil || len(mode) > longestMode {
		return 0, fmt.Errorf("%q is no mode of an entry", mode)
	}
	switch bits & kindBits {
	case fileBits:
		return file, nil
	case folderBits:
		return folder, nil
	case linkBits:
		return link, nil
	}
	return submodule, nil
}

func find(list []entry, name string) (entry, bool) {
	i, ok := slices.BinarySearchFunc(list, name, func(e entry, n string) int { return strings.Compare(e.name, n) })
	if !ok {
		return entry{}, false
	}
	return list[i], true
}

// Open opens a file or folder.
func (t *Tree) Open(name string) (fs.File, error) {
	e, err := t.lookup("open", name)
	if err != nil {
		return nil, err
	}
	return &opened{tree: t, name: name, entry: e}, nil
}

// ReadFile returns a file's content. It is the caller's to keep and change.
func (t *Tree) ReadFile(name string) ([]byte, error) {
	data, err := t.content(name)
	if err != nil {
		return nil, err
	}
	return bytes.Clone(data), nil
}

// content is shared with the cache and must not be changed.
func (t *Tree) content(name string) ([]byte, error) {
	e, err := t.lookup("read", name)
	if err != nil {
		return nil, err
	}
	if e.mode == folder {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("is a folder")}
	}
	return t.blob(name, e)
}

func (t *Tree) blob(name string, e entry) ([]byte, error) {
	data, err := t.store.object(e.hash, "blob")
	if err != nil {
		return nil, t.place(err, name)
	}
	return data, nil
}

// ReadDir lists a folder by name. Links show as links; Stat follows them.
func (t *Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	e, err := t.lookup("readdir", name)
	if err != nil {
		return nil, err
	}
	if e.mode != folder {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("is not a folder")}
	}
	list, err := t.store.entries(e.hash)
	if err != nil {
		return nil, t.place(err, name)
	}
	out := make([]fs.DirEntry, 0, len(list))
	for _, e := range list {
		if e.mode != submodule {
			out = append(out, info{tree: t, entry: e})
		}
	}
	return out, nil
}

// Stat describes a file or folder; it does not read the file.
func (t *Tree) Stat(name string) (fs.FileInfo, error) {
	e, err := t.lookup("stat", name)
	if err != nil {
		return nil, err
	}
	return t.info(name, e)
}

// Digest is the object's name, except for folders that hold symbolic links:
// there it covers what the links lead to as well.
func (t *Tree) Digest(name string) (string, error) {
	e, err := t.lookup("digest", name)
	if err != nil {
		return "", err
	}
	if e.mode != folder {
		return e.hash, nil
	}
	return t.digestOf(name, e)
}

// place names the file in a Problem that came from the store.
func (t *Tree) place(err error, name string) error {
	err = t.store.judge(t.commit, err, ofContent)
	var p *gitops.Problem
	if !errors.As(err, &p) {
		return err
	}
	at := t.at
	at.File = name
	q := *p
	return q.At(at)
}
