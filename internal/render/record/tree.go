package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Limits bound what one render may read, of one snapshot or, by budgets that its
// trees share, of all together. Zero means no bound.
type Limits struct {
	// Files is the number of different files of one snapshot.
	Files int
	// FileBytes is the size of one file.
	FileBytes int64
	// Bytes are those that all trees of one render hand out together, of a file
	// each time that it is read: each reader has a copy. What is made of them
	// before it is parsed counts with them: see Hold.
	Bytes *bounded.Budget
	// All are the files of all trees of one render together.
	All *bounded.Budget
	// Hidden are the bytes of the decrypted values that all trees of one
	// render keep together, to hide them; a short one counts for more than it has.
	Hidden *bounded.Budget
}

// Tree is a gitops.Tree that notes every use of the snapshot below it. It is
// safe for concurrent use.
type Tree struct {
	ctx      context.Context //nolint:containedctx // fs.FS has no room for one, and reads must end with the render
	snapshot *gitops.Snapshot
	limits   Limits
	// decrypter is nil where files are read as they are.
	decrypter Decrypter

	mu     sync.Mutex
	notes  map[note]string
	files  int
	secret bool
	sealed map[string][]string // recipients by file
	hidden map[string]bool     // decrypted values
}

var _ gitops.Tree = (*Tree)(nil)

// Wrap starts a record over a snapshot. Reads end with the context.
func Wrap(ctx context.Context, s *gitops.Snapshot, l Limits) *Tree {
	return &Tree{ctx: ctx, snapshot: s, limits: l, notes: map[note]string{}}
}

// Revision returns the snapshot's resolved revision and notes that it was
// used: the render then holds for this revision alone.
func (t *Tree) Revision() string {
	t.note(revision, "", t.snapshot.Revision)
	return t.snapshot.Revision
}

// Where is the place of a file, for errors and manifests. It is not noted:
// the revision in it is brought up to date when a render is reused.
func (t *Tree) Where(file string, line int) gitops.Origin {
	return gitops.Origin{RepoURL: t.snapshot.Ref.RepoURL, Revision: t.snapshot.Revision, File: file, Line: line}
}

// Open implements fs.FS.
func (t *Tree) Open(name string) (fs.File, error) {
	info, err := t.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		t.note(folder, name, ask(folder, t.snapshot, name))
		return t.snapshot.Tree.Open(name)
	}
	text, err := t.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return file{bytes.NewReader(text), info}, nil
}

// ReadFile implements fs.ReadFileFS within the limits. What is noted is the
// file as it is in the repository, also where it is decrypted.
func (t *Tree) ReadFile(name string) ([]byte, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	info, err := t.snapshot.Tree.Stat(name)
	if err != nil {
		t.note(kind, name, kindOf(nil, err))
		return nil, err
	}
	if info.IsDir() {
		t.note(kind, name, kindOf(info, nil))
		return nil, &fs.PathError{Op: "read", Path: name, Err: errIsFolder}
	}
	if err := t.admit(name, info.Size()); err != nil {
		return nil, err
	}
	t.note(content, name, ask(content, t.snapshot, name))
	text, err := t.snapshot.Tree.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return t.decrypt(name, text)
}

// ReadDir implements fs.ReadDirFS.
func (t *Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := t.snapshot.Tree.ReadDir(name)
	t.note(listing, name, listingOf(entries, err))
	return entries, err
}

// Stat implements fs.StatFS. What is noted is the kind of the entry, not its size.
func (t *Tree) Stat(name string) (fs.FileInfo, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	info, err := t.snapshot.Tree.Stat(name)
	t.note(kind, name, kindOf(info, err))
	return info, err
}

// Digest implements gitops.Tree: one note for a whole folder.
func (t *Tree) Digest(name string) (string, error) {
	digest, err := t.snapshot.Tree.Digest(name)
	t.note(folder, name, digestOf(digest, err))
	return digest, err
}

// Unrecorded is the tree below, for content that is noted as a whole by
// Digest. The limits do not hold for it.
func (t *Tree) Unrecorded() gitops.Tree { return t.snapshot.Tree }

func (t *Tree) note(q question, name, answer string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes[note{q, name}] = answer
}

var errIsFolder = errors.New("is a folder, not a file")

// Hold counts bytes that a render holds besides the files that it reads of its
// trees, for a file or folder of this one: what is read unrecorded, what an
// archive unpacks to, what comes from elsewhere.
func (t *Tree) Hold(name, what string, size int) error {
	if err := t.limits.Bytes.Take(size); err != nil {
		return gitops.Problemf(gitops.Invalid, "cannot read %s, which has %d bytes: what the application reads and unpacks is too much: %w", what, size, err).
			At(t.Where(name, 0)).Do("split the application")
	}
	return nil
}

// admit counts a file against the limits.
func (t *Tree) admit(name string, size int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.limits.FileBytes > 0 && size > t.limits.FileBytes {
		return t.tooMuch(name, fmt.Sprintf("the file has %d bytes, more than the limit of %d for one file", size, t.limits.FileBytes),
			"keep large data out of the folder of manifests")
	}
	if err := t.limits.Bytes.Take(int(size)); err != nil {
		return t.tooMuch(name, fmt.Sprintf("it has %d bytes, and what the application reads and unpacks is too much: %s", size, err), "split the application")
	}
	if _, again := t.notes[note{content, name}]; again {
		return nil
	}
	t.files++
	if t.limits.Files > 0 && t.files > t.limits.Files {
		return t.tooMuch(name, fmt.Sprintf("the source reads more than the limit of %d files", t.limits.Files), "split the application")
	}
	if err := t.limits.All.Take(1); err != nil {
		return t.tooMuch(name, "what the application reads is too much: "+err.Error(), "split the application")
	}
	return nil
}

// tooMuch makes a Problem for a limit. The file's digest is noted so that
// the failure holds until the file changes. The lock is held.
func (t *Tree) tooMuch(name, what, fix string) error {
	t.notes[note{content, name}] = ask(content, t.snapshot, name)
	return gitops.Problemf(gitops.Invalid, "cannot read %s: %s", name, what).At(t.Where(name, 0)).Do(fix)
}
