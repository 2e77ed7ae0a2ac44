package proxy

import (
	"bytes"
	"io"
	"io/fs"
	"path"
)

// listed is an entry of a folder; more of it is asked for where it is needed.
type listed struct {
	entry

	tree   *tree
	folder string
}

var _ fs.DirEntry = listed{}

// Info implements fs.DirEntry.
func (l listed) Info() (fs.FileInfo, error) { return l.tree.Stat(path.Join(l.folder, l.Base)) }

// file is an open file whose text is at hand.
type file struct {
	*bytes.Reader

	info fs.FileInfo
}

// Stat implements fs.File.
func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }

// Close implements fs.File.
func (*file) Close() error { return nil }

// folder is an open folder.
type folder struct {
	info fs.FileInfo
	left []fs.DirEntry
}

var _ fs.ReadDirFile = (*folder)(nil)

// Stat implements fs.File.
func (f *folder) Stat() (fs.FileInfo, error) { return f.info, nil }

// Read implements fs.File.
func (f *folder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.info.Name(), Err: fs.ErrInvalid}
}

// Close implements fs.File.
func (*folder) Close() error { return nil }

// ReadDir implements fs.ReadDirFile.
func (f *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		out := f.left
		f.left = nil
		return out, nil
	}
	if len(f.left) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(f.left))
	out := f.left[:n]
	f.left = f.left[n:]
	return out, nil
}
