// Package walktest makes trees that are larger than anybody could walk, for
// tests. It is no part of the product.
package walktest

import (
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Wide is how many folders each folder of a Bomb holds.
const Wide = 10

// Bomb is a tree of folders without files, but for those that it is made
// with: each folder at most Deep folders deep holds ten others.
type Bomb struct {
	// Deep bounds the folders inside one another.
	Deep int
	// Files are contents by path.
	Files map[string]string
	// Every names a file that each of the deepest folders has, with the content
	// "a: b"; it may be empty.
	Every string
}

var _ gitops.Tree = Bomb{}

// Snapshot is a revision that consists of the tree.
func (b Bomb) Snapshot(repo string) *gitops.Snapshot {
	return &gitops.Snapshot{Ref: gitops.SourceRef{RepoURL: repo, Revision: "main"}, Revision: strings.Repeat("0", 40), Tree: b} //nolint:mnd // as long as a commit
}

func depth(name string) int {
	if name == "." {
		return 0
	}
	return strings.Count(name, "/") + 1
}

// Open implements fs.FS, for files alone: folders are listed by ReadDir.
func (b Bomb) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
}

// ReadFile implements fs.ReadFileFS.
func (b Bomb) ReadFile(name string) ([]byte, error) {
	if text, ok := b.Files[name]; ok {
		return []byte(text), nil
	}
	if b.Every != "" && path.Base(name) == b.Every {
		return []byte("a: b\n"), nil
	}
	return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
}

// ReadDir implements fs.ReadDirFS.
func (b Bomb) ReadDir(name string) ([]fs.DirEntry, error) {
	var out []fs.DirEntry
	for file := range b.Files {
		if path.Dir(file) == name {
			out = append(out, fs.FileInfoToDirEntry(entry{name: path.Base(file)}))
		}
	}
	if depth(name) < b.Deep {
		for i := range Wide {
			out = append(out, fs.FileInfoToDirEntry(entry{name: "d" + string(rune('0'+i)), folder: true}))
		}
		return out, nil
	}
	if b.Every != "" {
		out = append(out, fs.FileInfoToDirEntry(entry{name: b.Every}))
	}
	return out, nil
}

// Stat implements fs.StatFS.
func (b Bomb) Stat(name string) (fs.FileInfo, error) {
	if text, ok := b.Files[name]; ok {
		return entry{name: path.Base(name), size: int64(len(text))}, nil
	}
	if b.Every != "" && path.Base(name) == b.Every {
		return entry{name: b.Every, size: 5}, nil
	}
	for _, part := range strings.Split(name, "/") {
		if name != "." && (len(part) != 2 || part[0] != 'd') {
			return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
		}
	}
	return entry{name: path.Base(name), folder: true}, nil
}

// Digest implements gitops.Tree: as in Git, one for all that is alike.
func (b Bomb) Digest(name string) (string, error) {
	if _, err := b.Stat(name); err != nil {
		return "", err
	}
	if text, ok := b.Files[name]; ok {
		return "file " + text, nil
	}
	return "folder " + strings.Repeat("d", depth(name)), nil
}

// entry is a file or folder.
type entry struct {
	name   string
	size   int64
	folder bool
}

func (e entry) Name() string     { return e.name }
func (e entry) Size() int64      { return e.size }
func (entry) ModTime() time.Time { return time.Time{} }
func (e entry) IsDir() bool      { return e.folder }
func (entry) Sys() any           { return nil }

func (e entry) Mode() fs.FileMode {
	if e.folder {
		return fs.ModeDir | 0o755
	}
	return 0o644
}
