package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	plain "github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Place is where the parts of a repository lie that the engine did not make.
// Git is never run in there: its configuration can name commands.
type Place struct {
	// Top is the folder of the work tree; empty for a bare repository.
	Top string
	// Dir holds HEAD and the index: .git, or that of a linked work tree.
	Dir string
	// Common holds what all work trees share: objects and branches.
	Common string
}

// shortFile bounds files of a repository that hold one line, in bytes.
const shortFile = 4096

// IsRepository reports whether a folder is a repository, or the top of one's
// work tree.
func IsRepository(folder string) bool {
	if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
		return true
	}
	return isBare(folder)
}

func isBare(folder string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			return false
		}
	}
	return true
}

// Top is the folder of the repository that a path belongs to, without links;
// empty where it belongs to none.
func Top(name string) string {
	full, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	for at := plain.Real(full); ; at = filepath.Dir(at) {
		if isTop(at) {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// isTop agrees with locate without looking into the repository.
func isTop(at string) bool {
	inside := filepath.Join(at, ".git")
	info, err := os.Lstat(inside)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return isBare(at)
	case err != nil:
		return false
	}
	return !info.IsDir() || isBare(inside)
}

// find looks for the repository that a folder belongs to.
func (c *Command) find(ctx context.Context, folder string) (Place, error) {
	full, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return Place{}, notThere(folder, err)
	}
	for at := full; ; at = filepath.Dir(at) {
		p, ok, err := c.locate(ctx, at)
		if ok || err != nil {
			return p, err
		}
		if at == filepath.Dir(at) {
			return Place{}, notThere(folder, errors.New("not a git repository (or any of the parent directories)"))
		}
	}
}

// locate finds the repository whose top, or which itself, a folder is; false
// where it is none.
func (c *Command) locate(ctx context.Context, at string) (Place, bool, error) {
	inside := filepath.Join(at, ".git")
	info, err := os.Lstat(inside)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Place{Dir: at, Common: at}, isBare(at), nil
	case err != nil:
		return Place{}, false, notThere(at, err)
	case info.Mode().IsRegular():
		p, err := c.pointed(ctx, at)
		return p, err == nil, err
	case !info.IsDir():
		return Place{}, false, gitops.Problemf(gitops.Refused, "cannot open the repository in %s: its .git is a link", at).
			Do("look at the repository that the link leads to, or make a clone")
	}
	if !isBare(inside) {
		_, err := os.ReadDir(inside)
		if err != nil {
			err = notThere(at, err)
		}
		return Place{}, false, err // git looks further up, too
	}
	p, err := c.whole(ctx, at, inside)
	return p, err == nil, err
}

// whole is a repository of which all parts are in one folder.
func (c *Command) whole(ctx context.Context, top, dir string) (Place, error) {
	if _, err := os.Lstat(filepath.Join(dir, "commondir")); err == nil {
		return Place{}, gitops.Problemf(gitops.Refused, "cannot open the repository in %s: its file commondir says that its objects are another repository's", top).
			Do("look at that repository, or make a clone")
	}
	said, err := c.settings(ctx, dir)
	if err != nil {
		return Place{}, err
	}
	p := Place{Top: top, Dir: dir, Common: dir}
	if said.is("core.bare") {
		p.Top = ""
	}
	return p, nil
}

// pointed follows the file that stands for .git in linked work trees and in
// submodules. What it leads to has to lead back: anybody can write a file
// that leads to the repository of somebody else.
func (c *Command) pointed(ctx context.Context, at string) (Place, error) {
	target, err := pointer(filepath.Join(at, ".git"), "gitdir: ")
	if err != nil {
		return Place{}, notThere(at, err)
	}
	dir, err := filepath.EvalSymlinks(from(at, target))
	if err != nil {
		return Place{}, notThere(at, err)
	}
	if rel, err := filepath.Rel(at, dir); err == nil && filepath.IsLocal(rel) {
		return c.whole(ctx, at, dir)
	}
	if back, err := pointer(filepath.Join(dir, "gitdir"), ""); err == nil && leads(from(dir, filepath.Dir(back)), at) {
		return linkedTo(at, dir)
	}
	said, err := c.settings(ctx, dir)
	if err != nil {
		return Place{}, err
	}
	if tree := said.last("core.worktree"); tree != "" && leads(from(dir, tree), at) {
		p, err := c.whole(ctx, at, dir)
		p.Top = at
		return p, err
	}
	return Place{}, strayed(at, dir)
}

// linkedTo is a work tree of a repository that knows it: its folder lies in
// the repository's own worktrees.
func linkedTo(at, dir string) (Place, error) {
	common := filepath.Dir(filepath.Dir(dir))
	said, err := pointer(filepath.Join(dir, "commondir"), "")
	if err != nil || filepath.Base(filepath.Dir(dir)) != "worktrees" || !leads(from(dir, said), common) || !isBare(common) {
		return Place{}, strayed(at, dir)
	}
	return Place{Top: at, Dir: dir, Common: common}, nil
}

func strayed(at, dir string) error {
	return gitops.Problemf(gitops.Refused, "cannot open the repository in %s: its .git leads to %s, which does not lead back", at, dir).
		Do("look at that repository itself; if it is the one of this work tree, run `git worktree repair` there, or `git config core.worktree " + at + "` where no work tree was linked")
}

// from is a path that may be relative to a folder.
func from(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// leads reports whether a path is another name of a folder.
func leads(path, folder string) bool {
	to, err := filepath.EvalSymlinks(path)
	return err == nil && to == folder
}

// pointer reads a file of one line that starts with a prefix.
func pointer(file, prefix string) (string, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > shortFile {
		return "", fmt.Errorf("%s is no file of one line", file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), prefix)
	if !ok || target == "" || strings.ContainsAny(target, "\n\x00") {
		return "", fmt.Errorf("%s does not say %q", file, prefix)
	}
	return target, nil
}

// notThere is about a folder in which no repository can be opened.
func notThere(folder string, err error) error {
	p := gitops.Problemf(gitops.NotFound, "cannot open the repository in %s: %w", folder, err)
	if errors.Is(err, fs.ErrPermission) {
		return p.Do("let the user that runs this read the folder and its .git")
	}
	return p.Do("name the folder of a Git checkout; in a CI job, check the repository out first")
}
