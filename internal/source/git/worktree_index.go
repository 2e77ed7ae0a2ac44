package git

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
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
		folder := filepath.Dir(to)
		switch {
		case sharedIndex.MatchString(part.Name()):
			folder = k.stand.dir
		case part.Name() != "index":
			continue
		}
		if err := copyInto(folder, root, part.Name()); err != nil {
			return fmt.Errorf("cannot read the index of %s: %w", k.Dir, err)
		}
	}
	return nil
}

// copyInto copies a plain file into a folder of the engine's own.
func copyInto(folder string, from *os.Root, name string) (err error) {
	into, err := os.OpenRoot(folder)
	if err != nil {
		return unwritable(err)
	}
	defer func() { err = errors.Join(err, into.Close()) }()
	return copyPlain(from, into, name, 0o600)
}

// copyPlain copies a plain file with its time.
func copyPlain(from, into *os.Root, name string, mode fs.FileMode) (err error) {
	in, err := plain.Plain(from, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := into.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return unwritable(err)
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), into.Chtimes(name, info.ModTime(), info.ModTime()))
}

// take copies what was edited. Links are copied as links, and none is followed, neither
// where files are read nor where they are written: names come out of an index that
// somebody else may have written.
func (e *edition) take(edited []edit) (err error) {
	from, err := os.OpenRoot(e.top)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // it was only read
	into, err := os.OpenRoot(e.staged)
	if err != nil {
		return unwritable(err)
	}
	defer func() { err = errors.Join(err, into.Close()) }()
	for i, one := range edited {
		if one.gone {
			continue
		}
		err := takeFile(from, into, one.path)
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

// takeFile copies a file to the same name.
func takeFile(from, into *os.Root, name string) error {
	if !filepath.IsLocal(name) || path.Clean(name) != name {
		return gitops.Problemf(gitops.Invalid, "the index names %q, which is no path of the work tree", gitops.First(name, shownPath)).Do("do not trust this checkout; `git fsck` and `git ls-files --stage` show more")
	}
	if beyondLink(from, name) {
		return fs.ErrNotExist // as git has it
	}
	info, err := from.Lstat(name)
	if err != nil {
		return err
	}
	if err := into.MkdirAll(path.Dir(name), 0o700); err != nil {
		return unwritable(err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := from.Readlink(name)
		if err != nil {
			return err
		}
		return into.Symlink(target, name)
	}
	if !info.Mode().IsRegular() {
		return nil // git keeps no such thing
	}
	mode := fs.FileMode(0o600)
	if info.Mode()&0o100 != 0 {
		mode = 0o700
	}
	return copyPlain(from, into, name, mode)
}

// shownPath bounds what is shown of a path that is none, in bytes.
const shownPath = 256

// beyondLink reports whether a folder on the way to a file is a link.
func beyondLink(root *os.Root, name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := root.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// run runs git over a work tree: the checkout's for what only compares, the
// engine's copies for what reads.
func (e *edition) run(ctx context.Context, tree string, in io.Reader, args ...string) ([]byte, error) {
	s := session{args: []string{"--work-tree=" + tree, "-C", tree}}
	return e.command.run(ctx, e.git, s, in, args...)
}
