package source

import (
	"io/fs"
	"path"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// subtree is a folder of a tree as a tree of its own. Links may still lead
// to other parts of the repository, as they do in a source with a path.
type subtree struct {
	all gitops.Tree
	dir string
}

func (t subtree) at(op, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &gitops.Problem{Kind: gitops.Invalid, What: "path \"" + name + "\" leads out of the chart", Fix: "keep the path inside the chart", Err: &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}}
	}
	return path.Join(t.dir, name), nil
}

func (t subtree) Open(name string) (fs.File, error) {
	full, err := t.at("open", name)
	if err != nil {
		return nil, err
	}
	return t.all.Open(full)
}

func (t subtree) ReadFile(name string) ([]byte, error) {
	full, err := t.at("read", name)
	if err != nil {
		return nil, err
	}
	return t.all.ReadFile(full)
}

func (t subtree) ReadDir(name string) ([]fs.DirEntry, error) {
	full, err := t.at("readdir", name)
	if err != nil {
		return nil, err
	}
	return t.all.ReadDir(full)
}

func (t subtree) Stat(name string) (fs.FileInfo, error) {
	full, err := t.at("stat", name)
	if err != nil {
		return nil, err
	}
	return t.all.Stat(full)
}

func (t subtree) Digest(name string) (string, error) {
	full, err := t.at("digest", name)
	if err != nil {
		return "", err
	}
	return t.all.Digest(full)
}

// Subtree is a folder of a tree as a tree of its own.
func Subtree(all gitops.Tree, dir string) gitops.Tree {
	if dir == "" || dir == "." {
		return all
	}
	return subtree{all: all, dir: dir}
}
