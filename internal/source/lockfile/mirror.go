package lockfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/git"
)

// Settings of a Mirror; the zero value takes the defaults.
type Settings struct {
	// Command runs git; one with a temporary folder when nil.
	Command *git.Command
	// Memory is shared with other readers; 64 MiB of its own when nil.
	Memory *git.Objects
	// FileBytes bounds a file that is read; 32 MiB when 0.
	FileBytes int64
	// TreeBytes and Files bound a chart or artifact; 256 MiB and 50,000 when 0.
	TreeBytes int64
	Files     int
	// Bytes bounds the folder; 8 GiB when 0.
	Bytes int64
}

// Mirror is a folder with a lock. It is safe for concurrent use, and for
// several processes that add at a time.
type Mirror struct {
	Settings

	dir   string
	vault *git.Vault
	home  string // to be removed

	mu   sync.Mutex
	refs []Reference
}

// Open opens a folder, which need not be there: the first Add makes it.
func Open(dir string, s Settings) (*Mirror, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	refs, err := read(dir)
	if err != nil {
		return nil, err
	}
	m := &Mirror{Settings: s, dir: dir, refs: refs}
	if err := m.complete(); err != nil {
		return nil, err
	}
	m.vault = git.NewVault(m.Command, filepath.Join(dir, content), m.Memory, m.FileBytes)
	return m, nil
}

func (m *Mirror) complete() error {
	m.FileBytes = or(m.FileBytes, 32<<20)
	m.TreeBytes = or(m.TreeBytes, 256<<20)
	m.Files = or(m.Files, 50_000)
	m.Bytes = or(m.Bytes, 8<<30)
	if m.Memory == nil {
		m.Memory = cache.New[string, any](64 << 20)
	}
	if m.Command != nil {
		return nil
	}
	home, err := os.MkdirTemp("", "causeway-mirror-")
	if err != nil {
		return fmt.Errorf("cannot make a temporary folder: %w", err)
	}
	m.home = home
	if m.Command, err = git.NewCommand(home, 10*time.Minute); err != nil {
		return errors.Join(err, os.RemoveAll(home))
	}
	return nil
}

func or[T int | int64](v, fallback T) T {
	if v > 0 {
		return v
	}
	return fallback
}

// Close ends the processes that read the folder. Trees cannot be read
// afterwards.
func (m *Mirror) Close() error {
	m.vault.Close()
	if m.home == "" {
		return nil
	}
	return os.RemoveAll(m.home)
}

// Dir is the folder.
func (m *Mirror) Dir() string { return m.dir }

// References lists what is locked.
func (m *Mirror) References() []Reference {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.refs)
}

// Missing lists what is locked while its content is not in the folder, as
// when only the lock was committed.
func (m *Mirror) Missing() []Reference {
	return slices.DeleteFunc(m.References(), func(r Reference) bool { return m.vault.Has(r.tree()) })
}

// Find returns the line of the lock for a reference: as it was asked for,
// or by what another of the same repository resolved to.
func (m *Mirror) Find(ref gitops.SourceRef) (Reference, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	want := askedOf(ref)
	for _, r := range m.refs {
		if r.asked() == want {
			return r, true
		}
	}
	for _, r := range m.refs {
		if a := r.asked(); a.name == want.name && a.chart == want.chart && r.resolvedBy(want.revision) {
			return r, true
		}
	}
	return Reference{}, false
}

// resolvedBy reports whether a revision is the exact one, or the beginning of
// the commit's name.
func (r Reference) resolvedBy(revision string) bool {
	if revision == r.Resolved {
		return true
	}
	return len(revision) >= 7 && git.IsHash(r.Resolved) && strings.HasPrefix(r.Resolved, strings.ToLower(revision))
}

// Snapshot gives what is locked for a reference; found is false when
// nothing is. A Problem of kind NotMirrored tells that the lock has it
// while the folder has not.
func (m *Mirror) Snapshot(ref gitops.SourceRef) (snap *gitops.Snapshot, found bool, err error) {
	r, ok := m.Find(ref)
	if !ok {
		return nil, false, nil
	}
	if !m.vault.Has(r.tree()) {
		p := gitops.Problemf(gitops.NotMirrored, "%s is locked in %s, but its content is not there", r, filepath.Join(m.dir, Name))
		p.Err = &gitops.MissingSource{Ref: ref}
		return nil, true, p.Do("run `causeway mirror`, or restore the folder from the cache of the CI system")
	}
	tree, err := m.vault.Tree(r.tree(), gitops.Origin{RepoURL: r.RepoURL, Revision: r.Resolved})
	if err != nil {
		return nil, true, err
	}
	snap = &gitops.Snapshot{Ref: ref, Revision: r.Resolved, Tree: tree}
	if r.Commit != nil {
		snap.Commit = &gitops.Commit{Author: r.Commit.Author, Date: r.Commit.Date, Message: r.Commit.Message}
	}
	return snap, true, nil
}

// Add copies snapshots into the folder and locks the Ref of each to it, in
// place of what it was locked to before. With an error those before the one
// that it is about are locked; none is when the folder is full. Of none the lock says
// that none is needed.
func (m *Mirror) Add(ctx context.Context, snaps ...*gitops.Snapshot) ([]Reference, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := m.bounded(); err != nil {
		return nil, err
	}
	taken, failed := m.takeAll(ctx, snaps)
	if err := m.bounded(); err != nil {
		return nil, err
	}
	if len(taken) == 0 && failed != nil {
		return nil, failed
	}
	fresh := map[asked]Reference{}
	for _, r := range taken {
		fresh[r.asked()] = r
	}
	err = m.update(func(refs []Reference) []Reference {
		refs = slices.DeleteFunc(refs, func(o Reference) bool { _, again := fresh[o.asked()]; return again })
		return slices.AppendSeq(refs, maps.Values(fresh))
	})
	if err != nil {
		return nil, err
	}
	return taken, failed
}

// takeAll takes snapshots up to the first that cannot be taken.
func (m *Mirror) takeAll(ctx context.Context, snaps []*gitops.Snapshot) ([]Reference, error) {
	var taken []Reference
	for _, snap := range snaps {
		r, err := m.take(ctx, snap)
		if err != nil {
			return taken, err
		}
		taken = append(taken, r)
	}
	return taken, nil
}

// Restore copies a snapshot into the folder for what is locked already. A
// snapshot with another content than the locked one is an error, and what was
// copied of it can be found by nobody; Prune removes it.
func (m *Mirror) Restore(ctx context.Context, locked Reference, snap *gitops.Snapshot) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := m.bounded(); err != nil {
		return err
	}
	r, err := m.take(ctx, snap)
	if err != nil {
		return err
	}
	if r.Digest != locked.Digest {
		err := gitops.Problemf(gitops.Invalid, "%s has another content than it is locked to: %s %s, locked %s %s", locked, r.Resolved, r.Digest, locked.Resolved, locked.Digest).
			Do("find out who changed it; to accept it, delete its lines in " + Name + " and run `causeway mirror` again")
		return err
	}
	return nil
}

// take copies one snapshot. The folder is locked.
func (m *Mirror) take(ctx context.Context, snap *gitops.Snapshot) (Reference, error) {
	r := referenceOf(snap)
	tree, err := m.vault.Take(ctx, snap.Tree, git.VaultLimits{Bytes: m.TreeBytes, Files: m.Files})
	if err != nil {
		return r, fmt.Errorf("cannot mirror %s: %w", r, err)
	}
	r.Digest = scheme + tree
	return r, nil
}

func referenceOf(snap *gitops.Snapshot) Reference {
	r := Reference{
		RepoURL: gitops.PublicAddress(snap.Ref.RepoURL), Chart: snap.Ref.Chart, Revision: strings.TrimSpace(snap.Ref.Revision),
		Resolved: snap.Revision, Path: content,
	}
	if c := snap.Commit; c != nil {
		r.Commit = &Commit{c.Author, c.Date.UTC(), c.Message}
	}
	return r
}

// bounded measures the folder.
func (m *Mirror) bounded() error {
	var size int64
	err := filepath.WalkDir(filepath.Join(m.dir, content), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		size += info.Size()
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if size > m.Bytes {
		return gitops.Problemf(gitops.Invalid, "mirror folder %s has %d MiB, more than the limit of %d MiB", m.dir, size>>20, m.Bytes>>20).
			Do("remove what is no longer needed with `causeway mirror --prune`")
	}
	return nil
}

// update changes the lock on disk, which another process may have changed
// since it was read. The folder is locked.
func (m *Mirror) update(change func([]Reference) []Reference) error {
	now, err := read(m.dir)
	if err != nil {
		return err
	}
	now = change(now)
	data, err := format(now)
	if err != nil {
		return err
	}
	// What would not be read again is not written.
	if _, err := parse(data); err != nil {
		return fmt.Errorf("cannot write %s: %w", Name, err)
	}
	if err := place(filepath.Join(m.dir, Name), data); err != nil {
		return fmt.Errorf("cannot write into %s: %w; free disk space, or name a folder that can be written", m.dir, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refs = now
	return nil
}

// place writes a file as a whole or not at all.
func place(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// lock keeps other processes from writing.
func (m *Mirror) lock(ctx context.Context) (func(), error) {
	if err := os.MkdirAll(m.dir, 0o755); err != nil { //nolint:gosec // it is a part of the user's checkout
		return nil, fmt.Errorf("cannot make mirror folder: %w", err)
	}
	f, err := m.lockFile()
	if err != nil {
		return nil, fmt.Errorf("cannot lock mirror folder %s: %w; remove its file .lock, or name a folder that can be written", m.dir, err)
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil // which unlocks it
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(fmt.Errorf("cannot lock mirror folder: %w", err), f.Close())
		}
		timer := time.NewTimer(50 * time.Millisecond)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-timer.C:
		}
	}
}

// lockFile opens the file that is locked; no link leads to one elsewhere.
func (m *Mirror) lockFile() (*os.File, error) {
	root, err := os.OpenRoot(m.dir)
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(".lock", os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK, 0o600)
	return f, errors.Join(err, root.Close())
}

// Prune drops the references that keep says no to, and content that none
// needs any more. It returns what was dropped.
func (m *Mirror) Prune(ctx context.Context, keep func(Reference) bool) ([]Reference, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var dropped []Reference
	trees := map[string]bool{}
	err = m.update(func(refs []Reference) []Reference {
		return slices.DeleteFunc(refs, func(r Reference) bool {
			if keep(r) {
				trees[r.tree()] = true
				return false
			}
			dropped = append(dropped, r)
			return true
		})
	})
	if err != nil {
		return nil, err
	}
	return dropped, m.vault.Keep(ctx, trees)
}

// Verify reads all content and compares it with what the lock says. The
// error names each reference that is damaged or not there.
func (m *Mirror) Verify(ctx context.Context) error {
	refs := m.References()
	var trees []string
	var bad []string
	for _, r := range refs {
		if !m.vault.Has(r.tree()) {
			bad = append(bad, r.String()+" (not there)")
			continue
		}
		trees = append(trees, r.tree())
	}
	slices.Sort(trees)
	damaged, err := m.vault.Damaged(ctx, slices.Compact(trees))
	if err != nil {
		return fmt.Errorf("cannot verify mirror folder %s: %w", m.dir, err)
	}
	for _, r := range refs {
		if slices.Contains(damaged, r.tree()) {
			bad = append(bad, r.String()+" (not what "+r.Digest+" names)")
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return gitops.Problemf(gitops.Invalid, "mirror folder %s is not what its lock says: %s", m.dir, strings.Join(bad, "; ")).
		Do("delete " + filepath.Join(m.dir, content) + " and run `causeway mirror` again")
}
