// Package archive unpacks charts and artifacts into memory, as trees that
// are addressed by their content.
//
// Sizes are bounded and no path can leave the tree. It does not fetch.
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
}

var _ gitops.Tree = (*Tree)(nil)

type node struct {
	name     string
	data     []byte
	children []*node // of a folder, by name
	folder   bool
	digest   string
}

// maxFolders bounds the folders of an archive: those of a path take more memory
// than the path, and are not written in it one by one.
const maxFolders = 200_000

// folderCost is about what a folder takes, in bytes.
const folderCost = 256

// NewTree makes a tree of files by their paths.
func NewTree(files map[string][]byte) (*Tree, error) {
	t := &Tree{nodes: map[string]*node{".": {name: ".", folder: true}}}
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
		n := &node{name: path.Base(name), data: files[name]}
		t.nodes[name] = n
		dir.children = append(dir.children, n)
		t.size += int64(len(n.data) + len(name) + 256)
	}
	sealing{}.seal(t.nodes["."])
	return t, nil
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
	t.size += folderCost
	n := &node{name: path.Base(name), folder: true}
	t.nodes[name] = n
	parent.children = append(parent.children, n)
	return n, nil
}

// shared is content that files have in common: a link has that of its file.
type shared struct {
	first *byte
	size  int
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
	key := shared{size: len(data)}
	if len(data) > 0 {
		key.first = &data[0]
	}
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
	return n, nil
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
		out[i] = c
	}
	return out
}

func (n *node) Name() string               { return n.name }
func (n *node) Size() int64                { return int64(len(n.data)) }
func (n *node) IsDir() bool                { return n.folder }
func (n *node) ModTime() time.Time         { return time.Time{} }
func (n *node) Sys() any                   { return nil }
func (n *node) Type() fs.FileMode          { return n.Mode().Type() }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }

func (n *node) Mode() fs.FileMode {
	if n.folder {
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

func (f *opened) Stat() (fs.FileInfo, error) { return f.node, nil }
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
