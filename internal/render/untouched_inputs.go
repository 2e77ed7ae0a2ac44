package render

import (
	"cmp"
	"context"
	"io/fs"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Untouched tells of two inputs that cannot be rendered that a render of both
// would read the same. A source without a snapshot can be read on neither
// side: it is taken to be the same, and so is what lies at an address, unless
// that may move. False means that it cannot tell.
func (r *Renderer) Untouched(ctx context.Context, before, after Input, known *Addresses) (same bool) {
	err := crew.Safely(func() error { same = r.untouched(ctx, before, after, known); return nil })
	return same && err == nil
}

func (r *Renderer) untouched(ctx context.Context, before, after Input, known *Addresses) bool {
	if !alike(before, after) || len(before.Snapshots) != len(before.App.Spec.GetSources()) {
		return false
	}
	before.Snapshots, after.Snapshots = slices.Clone(before.Snapshots), slices.Clone(after.Snapshots)
	for i, s := range before.Snapshots {
		if (s == nil) != (after.Snapshots[i] == nil) {
			return false
		}
		if s == nil {
			before.Snapshots[i], after.Snapshots[i] = unread, unread
		}
	}
	return r.sameReads(ctx, before, after, known)
}

// unread stands for a source that cannot be read.
var unread = &gitops.Snapshot{Tree: nothing{}}

// besides is a source that cannot be read, with what it has of others.
func (r *run) besides(i int, spec v1alpha1.ApplicationSource) *source.Source {
	tree := r.trees[i]
	return &source.Source{
		Spec: spec, Tree: tree, Path: cmp.Or(spec.Path, "."), Refs: r.refs, Facts: r.facts, Settings: r.in.Settings,
		Env: r.in.environment(tree.Revision, r.facts, spec),
	}
}

// nothing is a tree without files.
type nothing struct{}

func absent(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist} }

// Open implements fs.FS.
func (nothing) Open(name string) (fs.File, error) { return nil, absent("open", name) }

// ReadDir implements fs.ReadDirFS.
func (nothing) ReadDir(name string) ([]fs.DirEntry, error) { return nil, absent("read", name) }

// ReadFile implements fs.ReadFileFS.
func (nothing) ReadFile(name string) ([]byte, error) { return nil, absent("read", name) }

// Stat implements fs.StatFS.
func (nothing) Stat(name string) (fs.FileInfo, error) { return nil, absent("stat", name) }

// Digest implements gitops.Tree.
func (nothing) Digest(name string) (string, error) { return "", absent("digest", name) }
