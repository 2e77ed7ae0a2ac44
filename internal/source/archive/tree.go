// Package archive unpacks charts and artifacts into memory, as trees that
// are addressed by their content. A Room is the memory that all of them have.
//
// Sizes are bounded and no path can leave the tree. It asks no server.
package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Tree is an unpacked archive in memory.
type Tree struct {
	nodes   map[string]*node
	folders int
	size    int64
	most    int64 // of size; 0 for no bound
}

var _ gitops.Tree = (*Tree)(nil)

type node struct {
	info
	data     []byte
	children []*node // of a folder, by name
	digest   string
}

// info describes a node. It leads to nothing of the tree: who has listed a
// folder does not hold what lies in it.
type info struct {
	name   string
	size   int64
	folder bool
}

// maxFolders bounds the folders of an archive: those of a path take more memory
// than the path, and are not written in it one by one.
const maxFolders = 200_000

// folderCost is about what a folder takes, in bytes.
const folderCost = 256

// fileCost is about what a file takes besides its content and its path, in bytes.
const fileCost = 256

// NewTree makes a tree of files by their paths.
func NewTree(files map[string][]byte) (*Tree, error) { return newTree(files, 0) }

// newTree makes a tree that takes so many bytes at most, or any where that is 0.
func newTree(files map[string][]byte, most int64) (*Tree, error) {
	t := &Tree{nodes: map[string]*node{".": {info: info{name: ".", folder: true}}}, most: most}
	counted := map[shared]bool{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !fs.ValidPath(name) || name == "." {
			return nil, outside(name, fs.ErrInvalid)
		}
		dir, err := t.folder(path.Dir(name))
		if err != nil {
			return nil, err
		}
		if t.nodes[name] != nil {
			return nil, gitops.Problemf(gitops.Invalid, "%s is both a file and a folder in the archive", name)
		}
		data := files[name]
		n := &node{info: info{name: path.Base(name), size: int64(len(data))}, data: data}
		t.nodes[name] = n
		dir.children = append(dir.children, n)
		cost := len(name) + fileCost
		if key := sharedOf(data); !counted[key] {
			counted[key] = true
			cost += len(data)
		}
		if err := t.grow(int64(cost)); err != nil {
			return nil, err
		}
	}
	sealing{}.seal(t.nodes["."])
	return t, nil
}

func (t *Tree) grow(by int64) error {
	t.size += by
	if t.most > 0 && t.size > t.most {
		return tooMuch(t.most)
	}
	return nil
}

func (t *Tree) folder(name string) (*node, error) {
	if n := t.nodes[name]; n != nil {
		if !n.folder {
			return nil, gitops.Problemf(gitops.Invalid, "%s is both a file and a folder in the archive", name)
		}
		return n, nil
	}
	parent, err := t.folder(path.Dir(name))
	if err != nil {
		return nil, err
	}
	if t.folders++; t.folders > maxFolders {
		return nil, gitops.Problemf(gitops.Invalid, "the archive has more than %d folders", maxFolders).Do("pack fewer folders inside one another")
	}
	if err := t.grow(folderCost); err != nil {
		return nil, err
	}
	n := &node{info: info{name: path.Base(name), folder: true}}
	t.nodes[name] = n
	parent.children = append(parent.children, n)
	return n, nil
}

// shared is content that files have in common: a link has that of its file.
type shared struct {
	first *byte
	size  int
}

func sharedOf(data []byte) shared {
	s := shared{size: len(data)}
	if len(data) > 0 {
		s.first = &data[0]
	}
	return s
}

// sealing has the digests of contents. One large file with a link for each
// file that an archive may have would else be read as often.
type sealing map[shared]string

// seal sorts folders and computes digests from the leaves up.
func (s sealing) seal(n *node) {
	if !n.folder {
		n.digest = s.content(n.data)
		return
	}
	sum := sha256.New()
	slices.SortFunc(n.children, func(a, b *node) int { return strings.Compare(a.name, b.name) })
	sum.Write([]byte("folder\x00"))
	for _, c := range n.children {
		s.seal(c)
		fmt.Fprintf(sum, "%s\x00%s\n", c.name, c.digest)
	}
	n.digest = hex.EncodeToString(sum.Sum(nil))
}

func (s sealing) content(data []byte) string {
	key := sharedOf(data)
	digest, ok := s[key]
	if !ok {
		sum := sha256.New()
		sum.Write([]byte("file\x00"))
		sum.Write(data)
		digest = hex.EncodeToString(sum.Sum(nil))
		s[key] = digest
	}
	return digest
}

// Size is about what the tree takes of memory, in bytes.
func (t *Tree) Size() int64 { return t.size }

// root is the digest of all of it.
func (t *Tree) root() string { return t.nodes["."].digest }

func (t *Tree) find(op, name string) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, outside(name, fs.ErrInvalid)
	}
	n := t.nodes[name]
	if n == nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return n, nil
}

func outside(name string, cause error) error {
	return &gitops.Problem{Kind: gitops.Invalid, What: fmt.Sprintf("path %q leads out of the archive", name), Fix: "keep the path inside the chart or artifact", Err: cause}
}

// Open opens a file or folder.
func (t *Tree) Open(name string) (fs.File, error) {
	n, err := t.find("open", name)
	if err != nil {
		return nil, err
	}
	return &opened{node: n, data: bytes.NewReader(n.data)}, nil
}

// ReadFile returns a file's content. It is the caller's to keep and change.
func (t *Tree) ReadFile(name string) ([]byte, error) {
	n, err := t.find("read", name)
	if err != nil {
		return nil, err
	}
	if n.folder {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	return append([]byte{}, n.data...), nil
}

// ReadDir lists a folder by name.
func (t *Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := t.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !n.folder {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	return n.list(), nil
}

// Stat describes a file or folder.
func (t *Tree) Stat(name string) (fs.FileInfo, error) {
	n, err := t.find("stat", name)
	if err != nil {
		return nil, err
	}
	return n.info, nil
}

// Digest is a hash over a file, or over a folder with everything below it.
func (t *Tree) Digest(name string) (string, error) {
	n, err := t.find("digest", name)
	if err != nil {
		return "", err
	}
	return n.digest, nil
}

func (n *node) list() []fs.DirEntry {
	out := make([]fs.DirEntry, len(n.children))
	for i, c := range n.children {
		out[i] = c.info
	}
	return out
}

func (i info) Name() string               { return i.name }
func (i info) Size() int64                { return i.size }
func (i info) IsDir() bool                { return i.folder }
func (i info) ModTime() time.Time         { return time.Time{} }
func (i info) Sys() any                   { return nil }
func (i info) Type() fs.FileMode          { return i.Mode().Type() }
func (i info) Info() (fs.FileInfo, error) { return i, nil }

func (i info) Mode() fs.FileMode {
	if i.folder {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// opened is an open file or folder.
type opened struct {
	node *node
	data *bytes.Reader
	next int
}

func (f *opened) Stat() (fs.FileInfo, error) { return f.node.info, nil }
func (f *opened) Close() error               { return nil }

func (f *opened) Read(p []byte) (int, error) {
	if f.node.folder {
		return 0, &fs.PathError{Op: "read", Path: f.node.name, Err: fs.ErrInvalid}
	}
	return f.data.Read(p)
}

// ReadDir follows fs.ReadDirFile.
func (f *opened) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := f.node.list()[f.next:]
	if n <= 0 {
		f.next += len(rest)
		return rest, nil
	}
	if len(rest) == 0 {
		return nil, io.EOF
	}
	rest = rest[:min(n, len(rest))]
	f.next += len(rest)
	return rest, nil
}
