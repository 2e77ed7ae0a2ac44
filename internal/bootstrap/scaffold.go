package bootstrap

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

//go:embed all:layout
var layout embed.FS

// File is a file of the first layout.
type File struct {
	// Path in the work tree, with slashes.
	Path string
	Text []byte
	// State tells what a scaffold makes of it.
	State FileState
}

// FileState is how a file of the layout is found.
type FileState int

// The states of a file.
const (
	// Missing files are written.
	Missing FileState = iota
	// Same files are as the layout has them.
	Same
	// Other files are somebody's, and stay.
	Other
)

// maxCompared bounds what is read of a file that is there.
const maxCompared = 1 << 20

// Scaffold is the first layout of a repository below a folder of a work tree.
type Scaffold struct {
	// Dir is the work tree, Path the layout's folder in it.
	Dir, Path string
}

// Files are those of the layout, ordered by path, and how each is found. It
// writes nothing.
func (s Scaffold) Files() ([]File, error) {
	root, err := s.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return s.files(root)
}

func (s Scaffold) open() (*os.Root, error) {
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return nil, gitops.Problemf(gitops.NotFound, "cannot use the work tree %s: %w", s.Dir, err).Do("clone the repository there first, or make the folder with git init")
	}
	return root, nil
}

func (s Scaffold) files(root *os.Root) ([]File, error) {
	below, err := fs.Sub(layout, "layout")
	if err != nil {
		return nil, err
	}
	var out []File
	err = fs.WalkDir(below, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(below, name)
		if err != nil {
			return err
		}
		f := File{Path: path.Join(basepath(s.Path), name), Text: text}
		f.State, err = f.found(root)
		out = append(out, f)
		return err
	})
	return out, err
}

// found looks at what is in the place of a file.
func (f File) found(root *os.Root) (FileState, error) {
	info, err := root.Lstat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Missing, nil
	case err != nil:
		return Other, fmt.Errorf("cannot look at %s in the work tree: %w", f.Path, err)
	case !info.Mode().IsRegular() || info.Size() > maxCompared:
		return Other, nil
	}
	text, err := root.ReadFile(f.Path)
	if err != nil {
		return Other, fmt.Errorf("cannot read %s in the work tree: %w", f.Path, err)
	}
	if bytes.Equal(text, f.Text) {
		return Same, nil
	}
	return Other, nil
}

// Write writes the files that are missing, and tells how all were found. It
// never writes over a file.
func (s Scaffold) Write() ([]File, error) {
	root, err := s.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	all, err := s.files(root)
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if f.State != Missing {
			continue
		}
		if err := f.write(root); err != nil {
			return nil, fmt.Errorf("cannot write %s into the work tree: %w", f.Path, err)
		}
	}
	return all, nil
}

func (f File) write(root *os.Root) error {
	if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
		return err
	}
	// Exclusively: what somebody made in between is not written over.
	out, err := root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = out.Write(f.Text)
	return errors.Join(err, out.Close())
}
