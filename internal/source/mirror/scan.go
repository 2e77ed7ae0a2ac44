package mirror

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// stamp is what changes about a file when its content does.
type stamp struct {
	mode    fs.FileMode
	size    int64
	changed int64 // of content and attributes, in nanoseconds
	touched int64
	inode   uint64
	link    string
}

// scan lists the files of a folder, and its folders to be watched. What Git
// keeps for itself is left out, and so is what is neither file nor link.
func scan(root string, limit int) (files map[string]stamp, folders []string, err error) {
	files = map[string]stamp{}
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if path != root && os.IsNotExist(err) {
				return nil // gone since its folder was listed; the next scan agrees
			}
			return err
		}
		if e.Name() == ".git" && path != root {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.IsDir() {
			folders = append(folders, path)
			return nil
		}
		if !e.Type().IsRegular() && e.Type() != fs.ModeSymlink {
			return nil
		}
		if len(files) >= limit {
			return gitops.Problemf(gitops.Invalid, "mirror folder %s has more than %d files", root, limit).Do("mirror a smaller folder")
		}
		return note(files, root, path, e)
	})
	if os.IsNotExist(err) {
		return nil, nil, (&gitops.Problem{Kind: gitops.NotFound, What: fmt.Sprintf("mirror folder %s is not there", root), Err: err}).Do("make the folder or correct the mirror")
	}
	return files, folders, err
}

func note(files map[string]stamp, root, path string, e fs.DirEntry) error {
	info, err := e.Info()
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	s := stamp{mode: info.Mode(), size: info.Size(), changed: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.inode, s.touched = st.Ino, touched(st)
	}
	if e.Type() == fs.ModeSymlink {
		if s.link, err = os.Readlink(path); err != nil {
			return err
		}
	}
	name, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	files[filepath.ToSlash(name)] = s
	return nil
}
