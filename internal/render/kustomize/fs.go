package kustomize

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/bmatcuk/doublestar/v4"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// treeFS shows a recorded tree to the library as a file system that begins
// at /, with one file replaced. It cannot be written to.
type treeFS struct {
	ctx     context.Context //nolint:containedctx // the library's interface has no room for one
	source  *source.Source
	tree    *record.Tree
	edited  string // the path of the replaced file
	content []byte

	// problem is the first thing that was wrong with a kustomization file;
	// the library would bury it.
	problem error
	// ownSchema tells that a kustomization brings a schema; allowSchema that
	// it may.
	ownSchema, allowSchema bool
}

var _ filesys.FileSystem = (*treeFS)(nil)

func newFS(ctx context.Context, s *source.Source, edited string, content []byte) *treeFS {
	return &treeFS{ctx: ctx, source: s, tree: s.Tree, edited: edited, content: content}
}

var errReadOnly = errors.New("the repository cannot be written to")

// Create implements filesys.FileSystem.
func (f *treeFS) Create(string) (filesys.File, error) { return nil, errReadOnly }

// Mkdir implements filesys.FileSystem.
func (f *treeFS) Mkdir(string) error { return errReadOnly }

// MkdirAll implements filesys.FileSystem.
func (f *treeFS) MkdirAll(string) error { return errReadOnly }

// RemoveAll implements filesys.FileSystem.
func (f *treeFS) RemoveAll(string) error { return errReadOnly }

// WriteFile implements filesys.FileSystem.
func (f *treeFS) WriteFile(string, []byte) error { return errReadOnly }

// Open implements filesys.FileSystem; the library does not use it for reading.
func (f *treeFS) Open(string) (filesys.File, error) { return nil, errReadOnly }

// name is a path of the library in the tree.
func name(p string) string {
	p = path.Clean("/" + filepath.ToSlash(p))
	if p == "/" {
		return "."
	}
	return p[1:]
}

// IsDir implements filesys.FileSystem.
func (f *treeFS) IsDir(p string) bool {
	info, err := f.tree.Stat(name(p))
	return err == nil && info.IsDir()
}

// Exists implements filesys.FileSystem.
func (f *treeFS) Exists(p string) bool {
	_, err := f.tree.Stat(name(p))
	return err == nil
}

// ReadDir implements filesys.FileSystem.
func (f *treeFS) ReadDir(p string) ([]string, error) {
	entries, err := f.tree.ReadDir(name(p))
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// CleanedAbs implements filesys.FileSystem.
func (f *treeFS) CleanedAbs(p string) (filesys.ConfirmedDir, string, error) {
	n := name(p)
	info, err := f.tree.Stat(n)
	if err != nil {
		return "", "", err
	}
	if info.IsDir() {
		return filesys.ConfirmedDir("/" + clean(n)), "", nil
	}
	return filesys.ConfirmedDir("/" + clean(path.Dir(n))), path.Base(n), nil
}

// Glob implements filesys.FileSystem.
func (f *treeFS) Glob(pattern string) ([]string, error) {
	found, err := doublestar.Glob(f.tree, name(pattern))
	for i := range found {
		found[i] = "/" + found[i]
	}
	return found, err
}

// Walk implements filesys.FileSystem.
func (f *treeFS) Walk(p string, walk filepath.WalkFunc) error {
	return fs.WalkDir(f.tree, name(p), func(n string, d fs.DirEntry, err error) error {
		if err != nil {
			return walk("/"+clean(n), nil, err)
		}
		info, err := d.Info()
		return walk("/"+clean(n), info, err)
	})
}

// ReadFile implements filesys.FileSystem. Files are looked over before the
// library sees them: see guard.
func (f *treeFS) ReadFile(p string) ([]byte, error) {
	if err := f.ctx.Err(); err != nil {
		return nil, err
	}
	n := name(p)
	text, err := f.tree.ReadFile(n)
	if err != nil {
		return nil, f.keep(n, err)
	}
	written := text
	if n == f.edited {
		text = f.content
	}
	text, err = f.guard(n, text, written)
	if err != nil && f.problem == nil && !errors.Is(err, errOwnSchema) {
		f.problem = err
	}
	return text, err
}

// keep remembers why a file that is there cannot be read. A file that is not
// there is often only looked for.
func (f *treeFS) keep(n string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) && f.problem == nil && !f.IsDir(n) {
		f.problem = source.Missing(source.File{Tree: f.tree, Name: n}, "file", "", err)
	}
	return err
}
