package mirror

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// leftOut are what Git keeps for itself, and the state of local fleets: that
// changes with every look at the folder.
var leftOut = []string{".git", gitops.StateFolder}

// scan lists the files of a folder, and its folders to be watched. What is
// neither file nor link is left out.
func scan(root string, limit int) (files map[string]stamp, folders []string, err error) {
	files = map[string]stamp{}
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if path != root && os.IsNotExist(err) {
				return nil // gone since its folder was listed; the next scan agrees
			}
			return err
		}
		switch {
		case path == root || !slices.Contains(leftOut, e.Name()):
		case e.IsDir():
			return fs.SkipDir
		default:
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

// mostNamed bounds how many files an error names.
const mostNamed = 3

// differing names the files that differ between two scans, "a.yaml, b.yaml
// and 3 more".
func differing(before, after map[string]stamp) string {
	var names []string
	for name, s := range after {
		if old, ok := before[name]; !ok || old != s {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return gitops.Listed(names, mostNamed)
}
