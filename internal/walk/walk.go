package walk

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of one walk, far above what repositories have: the largest ones of
// manifests have some ten thousand files.
const (
	// MaxEntries is how many files and folders are listed in one walk, those
	// that are listed again counted again.
	MaxEntries = 200_000
	// MaxDepth is how deep a folder may lie that is listed, seen from the root
	// of the tree.
	MaxDepth = 100
)

// Walk is a tree as one walk sees it: listing folders ends with the context,
// and at the bounds. It is for one goroutine.
type Walk struct {
	ctx  context.Context //nolint:containedctx // fs.FS has no room for one, and a walk must end with it
	tree fs.FS
	seen int
	err  error
	// unlisted is why the first folder that is there could not be listed.
	unlisted error
}

var _ interface {
	fs.ReadDirFS
	fs.ReadFileFS
	fs.StatFS
} = (*Walk)(nil)

// Over begins a walk over a tree.
func Over(ctx context.Context, tree fs.FS) *Walk { return &Walk{ctx: ctx, tree: tree} }

// Open implements fs.FS.
func (w *Walk) Open(name string) (fs.File, error) { return w.tree.Open(name) }

// ReadFile implements fs.ReadFileFS.
func (w *Walk) ReadFile(name string) ([]byte, error) { return fs.ReadFile(w.tree, name) }

// Stat implements fs.StatFS.
func (w *Walk) Stat(name string) (fs.FileInfo, error) { return fs.Stat(w.tree, name) }

// ReadDir implements fs.ReadDirFS. What it gives counts; after the first error
// of a bound or of the context it gives nothing more.
func (w *Walk) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := w.Err(); err != nil {
		return nil, err
	}
	if name != "." && strings.Count(name, "/") >= MaxDepth {
		w.err = beyond(shortened(name), "it lies more than %d folders deep", MaxDepth).Do("move it up, or name a folder that holds less")
		return nil, w.err
	}
	entries, err := fs.ReadDir(w.tree, name)
	if err != nil {
		w.lacks(name, err)
		return nil, err
	}
	if w.seen += len(entries); w.seen > MaxEntries {
		w.err = beyond(shortened(name), "up to there are more than %d files and folders", MaxEntries).
			Do("name a folder that holds less, and look for folders that hold copies or links of one another")
		return nil, w.err
	}
	return entries, nil
}

// Seen is how many files and folders were listed.
func (w *Walk) Seen() int { return w.seen }

// Err is why the walk had to end early: for those who list by a library that
// passes over what cannot be read, and would give a part as the whole.
func (w *Walk) Err() error {
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	return w.err
}

// Unlisted is why a folder that is there could not be listed, be it for a moment: for
// those whose library takes it for one that holds nothing.
func (w *Walk) Unlisted() error { return w.unlisted }

// lacks notes a folder that cannot be listed. Libraries list files, and what is not
// there, as well.
func (w *Walk) lacks(name string, err error) {
	if w.unlisted != nil || errors.Is(err, fs.ErrNotExist) {
		return
	}
	info, gone := w.Stat(name)
	if gone == nil && info.IsDir() || gitops.IsProblem(err, gitops.Unreachable) {
		w.unlisted = err
	}
}

func beyond(name, format string, args ...any) *gitops.Problem {
	return gitops.Problemf(gitops.Invalid, "cannot look through folder %s: "+format, append([]any{name}, args...)...)
}

// maxShown bounds the name of a folder in a message, in bytes.
const maxShown = 200

func shortened(name string) string {
	if len(name) <= maxShown {
		return name
	}
	return strings.ToValidUTF8(name[:maxShown], "") + "…"
}
