package source

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
	"github.com/causeway-gitops/causeway/internal/source/git"
)

// Part is a folder of a checkout that a mirror names for a reference: what is
// there depends on the revision at which the checkout is looked at.
type Part struct {
	// Folder is where it lies in the checkout, with slashes; "." is all of it.
	Folder string

	registry *Registry
	local    local
}

// Part returns the folder of a checkout that a mirror names for a reference;
// false when what serves it is no part of the checkout.
func (r *Registry) Part(ctx context.Context, checkout *Local, ref gitops.SourceRef) (Part, bool) {
	for _, m := range r.locked {
		if _, ok := m.Find(ref); ok {
			return Part{}, false
		}
	}
	return r.part(ctx, checkout, ref)
}

// FolderOf is the folder of a checkout that a mirror says to be the repository
// of an address; "." where it is the checkout itself.
func (r *Registry) FolderOf(ctx context.Context, checkout *Local, repoURL string) (string, bool) {
	p, ok := r.part(ctx, checkout, gitops.SourceRef{RepoURL: repoURL})
	return p.Folder, ok && !p.local.artifact
}

func (r *Registry) part(ctx context.Context, checkout *Local, ref gitops.SourceRef) (Part, bool) {
	at, err := address.Parse(ref.RepoURL)
	if err != nil || address.CheckChart(ref.Chart) != nil {
		return Part{}, false
	}
	cred := r.credential(ref)
	l, ok, err := r.mirrored(at, ref.Chart, isRegistry(at, ref, cred))
	if !ok || err != nil {
		return Part{}, false
	}
	folder, ok := checkout.part(ctx, l.path)
	return Part{Folder: folder, registry: r, local: l}, ok
}

// part is where a folder lies in the checkout, with slashes; false for what
// lies elsewhere, or in a repository of its own. The repository's .git is all
// of it, and a folder of another of its work trees is the one of this name:
// both would be read as they are now, on either side of a change.
func (l *Local) part(ctx context.Context, folder string) (string, bool) {
	if part, ok := partOf(l.Dir(), folder); ok {
		return part, true
	}
	full := bounded.Real(folder)
	p, ok := l.checkout.Shared(ctx, existing(full))
	if !ok {
		return "", false
	}
	if p.Top == "" {
		return ".", full == p.Dir
	}
	return partOf(p.Top, full)
}

// partOf is where a folder lies below the top of a work tree.
func partOf(top, folder string) (string, bool) {
	rel, err := filepath.Rel(bounded.Real(top), bounded.Real(folder))
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	for at := rel; at != "."; at = filepath.Dir(at) {
		if git.IsRepository(filepath.Join(top, at)) {
			return "", false
		}
	}
	return filepath.ToSlash(rel), true
}

// existing is a path as far as it is there.
func existing(name string) string {
	for at := name; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
			return at
		}
	}
}

// In reports whether the checkout has the part in one of its states.
func (p Part) In(all gitops.Tree) bool {
	_, _, ok := p.shelf(all)
	return ok
}

// shelf is the folder that is served, or, for a chart of a registry that has
// none of its own, the one above it.
func (p Part) shelf(all gitops.Tree) (dir string, parent, ok bool) {
	if info, err := all.Stat(p.Folder); err == nil && info.IsDir() {
		return p.Folder, false, true
	}
	if p.local.only == "" || p.local.path == p.local.mirror.Path {
		return "", false, false
	}
	above := path.Dir(p.Folder)
	info, err := all.Stat(above)
	return above, true, err == nil && info.IsDir()
}

// Snapshot is what the part has for a reference in one state of the checkout.
func (p Part) Snapshot(ctx context.Context, ref gitops.SourceRef, all *gitops.Snapshot) (*gitops.Snapshot, error) {
	dir, parent, ok := p.shelf(all.Tree)
	if !ok {
		return nil, located(gitops.Problemf(gitops.NotFound, "folder %s, which a mirror names, is not in the checkout at %s", p.Folder, all.Revision).
			Do("correct --mirror, or leave it out"), ref)
	}
	out := *all
	out.Tree = Subtree(all.Tree, dir)
	if p.local.chart || p.local.artifact {
		v := shelfView{p.registry, still{&out}, p.local, parent}
		snap, err := v.snapshot(ctx, want{chart: ref.Chart, revision: strings.TrimSpace(ref.Revision)}, nobody)
		if err != nil {
			return nil, located(err, ref)
		}
		out = *snap
	}
	out.Ref = ref
	return &out, nil
}

// still is a view of one content.
type still struct{ snap *gitops.Snapshot }

func (s still) snapshot(context.Context, want, account) (*gitops.Snapshot, error) { return s.snap, nil }
