package git

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	plain "github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// edition is one look at a work tree: a copy of the index, and a folder into
// which the engine copies what was edited.
type edition struct {
	command *Command
	dir     string
	top     string
	staged  string
	git     string
}

// edition copies the index, which spares reading files that have not changed.
func (k *Checkout) edition() (*edition, error) {
	dir := filepath.Join(k.scratch, "edits-"+rand.Text())
	e := &edition{dir: dir, top: k.Top, staged: filepath.Join(dir, "tree"), git: k.stand.dir}
	if err := os.MkdirAll(e.staged, 0o700); err != nil {
		return nil, unwritable(err)
	}
	index := filepath.Join(dir, "index")
	if err := k.copyIndex(index); err != nil {
		e.close()
		return nil, err
	}
	with := *k.command
	with.env = append(slices.Clone(with.env), "GIT_INDEX_FILE="+index)
	e.command = &with
	return e, nil
}

func (e *edition) close() { _ = os.RemoveAll(e.dir) } // the whole scratch folder is removed in the end

func (e *edition) unread(err error) error {
	var p *gitops.Problem
	if errors.As(err, &p) {
		return err
	}
	return fmt.Errorf("cannot read the work tree %s: %w", e.top, err)
}

// sharedIndex is a part of an index that was split.
var sharedIndex = regexp.MustCompile(`^sharedindex\.[0-9a-f]{40,64}$`)

// copyIndex copies the index as old as it is: git reads those files all the
// same that were written in the second of the index or later.
func (k *Checkout) copyIndex(to string) error {
	root, err := os.OpenRoot(k.Dir)
	if err != nil {
		return notThere(k.Dir, err)
	}
	defer func() { _ = root.Close() }() // it was only read
	list, err := os.ReadDir(k.Dir)
	if err != nil {
		return notThere(k.Dir, err)
	}
	for _, part := range list {
		into := to
		switch {
		case sharedIndex.MatchString(part.Name()):
			into = filepath.Join(k.stand.dir, part.Name())
		case part.Name() != "index":
			continue
		}
		if err := copyPlain(root, part.Name(), into, 0o600); err != nil {
			return fmt.Errorf("cannot read the index of %s: %w", k.Dir, err)
		}
	}
	return nil
}

// copyPlain copies a plain file with its time.
func copyPlain(root *os.Root, name, to string, mode fs.FileMode) (err error) {
	in, err := plain.Plain(root, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return unwritable(err)
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

// take copies what was edited. Links are copied as links, and none is
// followed out of the work tree.
func (e *edition) take(edited []edit) error {
	root, err := os.OpenRoot(e.top)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // it was only read
	for i, one := range edited {
		if one.gone {
			continue
		}
		err := e.takeFile(root, one.path)
		if errors.Is(err, fs.ErrNotExist) {
			edited[i].gone = true
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *edition) takeFile(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	to := filepath.Join(e.staged, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return unwritable(err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := root.Readlink(name)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	if !info.Mode().IsRegular() {
		return nil // git keeps no such thing
	}
	mode := fs.FileMode(0o600)
	if info.Mode()&0o100 != 0 {
		mode = 0o700
	}
	return copyPlain(root, name, to, mode)
}

// run runs git over a work tree: the checkout's for what only compares, the
// engine's copies for what reads.
func (e *edition) run(ctx context.Context, tree string, in io.Reader, args ...string) ([]byte, error) {
	s := session{args: []string{"--work-tree=" + tree, "-C", tree}}
	return e.command.run(ctx, e.git, s, in, args...)
}
