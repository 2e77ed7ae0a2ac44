package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/git"
	"github.com/causeway-gitops/causeway/internal/source/version"
)

// Local is a checkout on this machine, read at any number of revisions at a
// time: objects come out of its own .git, nothing in it is changed, and
// nothing that it configures is run. It is safe for concurrent use.
type Local struct {
	checkout *git.Checkout
	scratch  string

	mu       sync.Mutex
	snaps    map[string]*gitops.Snapshot // by commit
	filtered map[string][]string         // by commit
}

// OpenLocal opens the repository that a folder belongs to: a checkout or a
// folder inside of one, a linked work tree, or a bare repository. The cache
// folder takes copies of its references and of uncommitted edits, until Close.
func OpenLocal(dir, cacheDir string) (*Local, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := makeFolder(cacheDir); err != nil {
		return nil, fmt.Errorf("cannot write into the cache folder: %w; set --cache-dir to a folder that can be written", err)
	}
	scratch, err := os.MkdirTemp(cacheDir, "checkout-")
	if err != nil {
		return nil, fmt.Errorf("cannot write into the cache folder: %w", err)
	}
	checkout, err := openCheckout(dir, scratch)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(scratch))
	}
	return &Local{checkout: checkout, scratch: scratch, snaps: map[string]*gitops.Snapshot{}, filtered: map[string][]string{}}, nil
}

func openCheckout(dir, scratch string) (*git.Checkout, error) {
	limits := Limits{}.complete()
	command, err := git.NewCommand(scratch, limits.Operation)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limits.Operation)
	defer cancel()
	return git.OpenCheckout(ctx, command, dir, scratch, cache.New[string, any](limits.MemoryBytes), limits.FileBytes)
}

// Close ends the processes that read the repository and removes what was
// made of uncommitted edits. Trees cannot be read afterwards.
func (l *Local) Close() error {
	l.checkout.Store().Close()
	return os.RemoveAll(l.scratch)
}

// Dir is the folder of the work tree, or of a bare repository itself.
func (l *Local) Dir() string {
	if l.checkout.Top != "" {
		return l.checkout.Top
	}
	return l.checkout.Dir
}

// Bare reports whether there is no work tree.
func (l *Local) Bare() bool { return l.checkout.Top == "" }

// Snapshot opens a revision by any name that git knows: a branch, a tag, a
// commit, origin/main, HEAD~3, and main...topic for where two parted. The
// snapshot's Ref names the folder.
func (l *Local) Snapshot(ctx context.Context, revision string) (*gitops.Snapshot, error) {
	if a, b, ok := strings.Cut(revision, "..."); ok {
		base, err := l.MergeBase(ctx, orHead(a), orHead(b))
		if err != nil {
			return nil, err
		}
		return l.open(base, revision)
	}
	hash, err := l.resolve(ctx, revision)
	if err != nil {
		return nil, err
	}
	return l.open(hash, revision)
}

func orHead(revision string) string {
	if revision == "" {
		return "HEAD"
	}
	return revision
}

// Worktree opens the files as they are now, as `git add -A` would take
// them: edits and new files, without what .gitignore names. Without edits
// it is the snapshot of HEAD.
func (l *Local) Worktree(ctx context.Context) (*gitops.Snapshot, error) {
	head, err := l.checkout.Resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	at := time.Unix(0, 0) // a repository without a commit
	if head != "" {
		snap, err := l.open(head, "HEAD")
		if err != nil {
			return nil, err
		}
		if !snap.Commit.Date.IsZero() {
			at = snap.Commit.Date
		}
	}
	edits, err := l.checkout.Edited(ctx, head, at)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.filtered[edits.Commit] = edits.Filtered
	l.mu.Unlock()
	return l.open(edits.Commit, "")
}

// Tracked returns a path that Git tracks at or below a path of the work tree,
// with slashes; empty where it tracks none.
func (l *Local) Tracked(ctx context.Context, path string) (string, error) {
	return l.checkout.Tracked(ctx, path)
}

// Filtered are the edited files of a work tree, named by the revision of its
// snapshot, for which the checkout has a filter such as LFS or git-crypt. No
// filter is run: they are as they stand in the work tree.
func (l *Local) Filtered(revision string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.filtered[revision]
}

func (l *Local) open(hash, revision string) (*gitops.Snapshot, error) {
	l.mu.Lock()
	known := l.snaps[hash]
	l.mu.Unlock()
	if known == nil {
		snap, err := l.checkout.Store().Snapshot(hash, gitops.Origin{RepoURL: l.Dir(), Revision: hash})
		if err != nil {
			return nil, located(err, gitops.SourceRef{RepoURL: l.Dir(), Revision: revision})
		}
		l.mu.Lock()
		l.snaps[hash], known = snap, snap
		l.mu.Unlock()
	}
	out := *known
	out.Ref = gitops.SourceRef{RepoURL: l.Dir(), Revision: revision}
	return &out, nil
}

// resolve returns the commit of a name, or a Problem that tells what to do.
func (l *Local) resolve(ctx context.Context, revision string) (string, error) {
	hash, err := l.checkout.Resolve(ctx, revision)
	if err != nil || hash != "" {
		return hash, err
	}
	p := gitops.Problemf(gitops.NotFound, "revision %q is not in repository %s", orHead(revision), l.Dir())
	switch {
	case revision == "" || revision == "HEAD":
		return "", p.Do("make a first commit")
	case l.checkout.Shallow():
		return "", p.Do("the clone is shallow: fetch the whole history with `git fetch --unshallow`, or fetch-depth: 0 in a CI job")
	}
	if remote, branch, ok := strings.Cut(revision, "/"); ok && branch != "" {
		remotes, err := l.Remotes(ctx)
		if _, known := remotes[remote]; known && err == nil {
			return "", p.Do(fmt.Sprintf("run `git fetch %s %s`; in a CI job fetch all branches (fetch-depth: 0)", remote, branch))
		}
	}
	names, err := l.checkout.Lines(ctx, "for-each-ref", "--count=1000", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags")
	if near := version.Near(revision, names); err == nil && near != "" {
		return "", p.Do("name one that is there, such as " + near)
	}
	return "", p
}

// MergeBase returns the commit where two revisions parted.
func (l *Local) MergeBase(ctx context.Context, a, b string) (string, error) {
	one, err := l.resolve(ctx, a)
	if err != nil {
		return "", err
	}
	other, err := l.resolve(ctx, b)
	if err != nil {
		return "", err
	}
	hash, err := l.checkout.MergeBase(ctx, one, other)
	if err != nil || hash != "" {
		return hash, err
	}
	p := gitops.Problemf(gitops.NotFound, "revisions %s and %s of %s have no commit in common", a, b, l.Dir())
	if l.checkout.Shallow() {
		return "", p.Do("the clone is shallow: fetch the whole history with `git fetch --unshallow`, or fetch-depth: 0 in a CI job")
	}
	return "", p.Do("name revisions of one history")
}
