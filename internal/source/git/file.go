package git

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"time"
)

// opened is a file or folder of a Tree. Its content is read by the first Read.
type opened struct {
	tree  *Tree
	name  string
	entry entry
	data  *bytes.Reader
	list  []fs.DirEntry
	begun bool
}

func (f *opened) Stat() (fs.FileInfo, error) { return f.tree.info(f.name, f.entry) }

func (f *opened) Read(p []byte) (int, error) {
	if f.entry.mode == folder {
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: fs.ErrInvalid}
	}
	if f.data == nil {
		data, err := f.tree.blob(f.name, f.entry)
		if err != nil {
			return 0, err
		}
		f.data = bytes.NewReader(data)
	}
	return f.data.Read(p)
}

func (f *opened) Close() error { return nil }

// ReadDir follows fs.ReadDirFile.
func (f *opened) ReadDir(n int) ([]fs.DirEntry, error) {
	if !f.begun {
		list, err := f.tree.ReadDir(f.name)
		if err != nil {
			return nil, err
		}
		f.list, f.begun = list, true
	}
	if n <= 0 {
		all := f.list
		f.list = nil
		return all, nil
	}
	if len(f.list) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(f.list))
	some := f.list[:n]
	f.list = f.list[n:]
	return some, nil
}

// info describes an entry both as fs.DirEntry and as fs.FileInfo.
type info struct {
	tree  *Tree
	entry entry
	size  int64
}

func (t *Tree) info(name string, e entry) (fs.FileInfo, error) {
	i := info{tree: t, entry: e}
	i.entry.name = path.Base(name)
	if e.mode == folder {
		return i, nil
	}
	size, err := t.store.size(e.hash)
	if err != nil {
		return nil, t.place(err, name)
	}
	i.size = size
	return i, nil
}

func (i info) Name() string               { return i.entry.name }
func (i info) Size() int64                { return i.size }
func (i info) IsDir() bool                { return i.entry.mode == folder }
func (i info) ModTime() time.Time         { return time.Time{} }
func (i info) Sys() any                   { return nil }
func (i info) Type() fs.FileMode          { return i.Mode().Type() }
func (i info) Info() (fs.FileInfo, error) { return i.tree.info(i.entry.name, i.entry) }

func (i info) Mode() fs.FileMode {
	switch i.entry.mode {
	case folder:
		return fs.ModeDir | 0o555
	case link:
		return fs.ModeSymlink | 0o444
	default:
		return 0o444
	}
}
