package bounded

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Plain opens a regular file of a folder, to which no link leads out of the
// folder. What is no regular file can have readers wait, or read, for ever.
func Plain(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Below reads a Plain file of a folder, of at most so many bytes; one with more
// is TooLong.
func Below(dir, name string, most int64) (text []byte, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return below(root, name, most)
}

func below(root *os.Root, name string, most int64) ([]byte, error) {
	f, err := Plain(root, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return all(f, name, most)
}

func all(f io.Reader, name string, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > most {
		return nil, &TooLong{name, most}
	}
	return text, nil
}

// FS is a folder of which whole files are read as Below reads them.
func FS(root *os.Root, most int64) fs.FS { return folder{root.FS(), root, most} }

type folder struct {
	fs.FS

	root *os.Root
	most int64
}

// ReadFile implements fs.ReadFileFS.
func (f folder) ReadFile(name string) ([]byte, error) { return below(f.root, name, f.most) }

// Stat implements fs.StatFS: others are opened for it, and a pipe has who does that wait.
func (f folder) Stat(name string) (fs.FileInfo, error) { return fs.Stat(f.FS, name) }

// ReadDir implements fs.ReadDirFS.
func (f folder) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(f.FS, name) }
