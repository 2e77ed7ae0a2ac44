package archive

import (
	"context"
	"io/fs"
	"sync/atomic"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Lent is the tree of an archive that a Room keeps for as long as it has place:
// after that the archive is unpacked again when it is read. What it has as a
// whole is known without, so that who looks whether something changed unpacks
// nothing.
type Lent struct {
	room   *Room
	packed Packed
	root   string
	gone   atomic.Bool
}

var _ gitops.Tree = (*Lent)(nil)

// Tree unpacks an archive, or finds it unpacked.
func (r *Room) Tree(ctx context.Context, p Packed) (*Lent, error) {
	t, err := r.unpack(ctx, p)
	if err != nil {
		return nil, err
	}
	return &Lent{room: r, packed: p, root: t.root()}, nil
}

// Stale reports whether the archive is not where it was, and has to be got again.
func (l *Lent) Stale() bool { return l.gone.Load() }

// tree is what is read. That the archive is gone is another thing than that a
// file is not in it, and no error says both.
func (l *Lent) tree() (*Tree, error) {
	t, err := l.room.unpack(context.Background(), l.packed)
	if err == nil && t.root() == l.root {
		return t, nil
	}
	l.gone.Store(true)
	why := "it has another content now"
	if err != nil {
		why = err.Error()
	}
	return nil, gitops.Problemf(gitops.Unreachable, "the local copy of an archive is gone, and it will be fetched again: %s", why).
		Do("look again; if this stays, see that nothing else clears the folder of --cache-dir")
}

// Open opens a file or folder.
func (l *Lent) Open(name string) (fs.File, error) {
	t, err := l.tree()
	if err != nil {
		return nil, err
	}
	return t.Open(name)
}

// ReadFile returns a file's content. It is the caller's to keep and change.
func (l *Lent) ReadFile(name string) ([]byte, error) {
	t, err := l.tree()
	if err != nil {
		return nil, err
	}
	return t.ReadFile(name)
}

// ReadDir lists a folder by name.
func (l *Lent) ReadDir(name string) ([]fs.DirEntry, error) {
	t, err := l.tree()
	if err != nil {
		return nil, err
	}
	return t.ReadDir(name)
}

// Stat describes a file or folder.
func (l *Lent) Stat(name string) (fs.FileInfo, error) {
	t, err := l.tree()
	if err != nil {
		return nil, err
	}
	return t.Stat(name)
}

// Digest is a hash over a file, or over a folder with everything below it.
func (l *Lent) Digest(name string) (string, error) {
	if name == "." {
		return l.root, nil
	}
	t, err := l.tree()
	if err != nil {
		return "", err
	}
	return t.Digest(name)
}
