// Package treetest makes snapshots for tests, from texts or from a folder.
// It is no part of the product.
package treetest

import (
	"encoding/hex"
	"io/fs"
	"os"
	"path"
	"sync"
	"testing/fstest"

	"github.com/zeebo/blake3"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Files is a tree's content: text by path.
type Files map[string]string

// With returns a copy with one file changed.
func (f Files) With(name, text string) Files {
	out := Files{name: text}
	for k, v := range f {
		if k != name {
			out[k] = v
		}
	}
	return out
}

// Snapshot makes a snapshot of texts.
func Snapshot(repo, revision string, files Files) *gitops.Snapshot {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return snapshot(repo, revision, m)
}

// Folder makes a snapshot of a folder on disk, which must not change.
// Symbolic links that leave it cannot be opened.
func Folder(repo, revision, dir string) (*gitops.Snapshot, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return snapshot(repo, revision, root.FS()), nil
}

func snapshot(repo, revision string, f fs.FS) *gitops.Snapshot {
	return &gitops.Snapshot{
		Ref:      gitops.SourceRef{RepoURL: repo, Revision: "main"},
		Revision: revision,
		Tree:     &tree{fs: f, digests: map[string]string{}},
	}
}

type tree struct {
	fs      fs.FS
	mu      sync.Mutex
	digests map[string]string
}

func (t *tree) Open(name string) (fs.File, error)          { return t.fs.Open(name) }
func (t *tree) ReadFile(name string) ([]byte, error)       { return fs.ReadFile(t.fs, name) }
func (t *tree) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(t.fs, name) }
func (t *tree) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(t.fs, name) }

// Digest hashes once and remembers.
func (t *tree) Digest(name string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.digest(name)
}

func (t *tree) digest(name string) (string, error) {
	if d, ok := t.digests[name]; ok {
		return d, nil
	}
	info, err := fs.Stat(t.fs, name)
	if err != nil {
		return "", err
	}
	h := blake3.New()
	if info.IsDir() {
		err = t.hashFolder(h, name)
	}
	if !info.IsDir() {
		var data []byte
		data, err = fs.ReadFile(t.fs, name)
		_, _ = h.Write(data)
	}
	if err != nil {
		return "", err
	}
	d := hex.EncodeToString(h.Sum(nil)[:20])
	t.digests[name] = d
	return d, nil
}

func (t *tree) hashFolder(h *blake3.Hasher, name string) error {
	entries, err := fs.ReadDir(t.fs, name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		d, err := t.digest(path.Join(name, e.Name()))
		if err != nil {
			d = err.Error()
		}
		_, _ = h.WriteString(e.Name() + "\x00" + d + "\x00")
	}
	return nil
}
