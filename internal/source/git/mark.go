package git

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// refsMark lists names, times, sizes and inodes of the files that hold a
// local repository's references. git replaces these files and never writes
// into them, so any move of a branch changes the mark. It is empty when it
// cannot be told.
func refsMark(dir string) string {
	if dir == "" {
		return ""
	}
	var b strings.Builder
	for _, name := range []string{"HEAD", "packed-refs", "reftable/tables.list"} {
		note(&b, name, filepath.Join(dir, name))
	}
	common := dir
	if data, err := os.ReadFile(filepath.Join(dir, "commondir")); err == nil {
		common = filepath.Join(dir, strings.TrimSpace(string(data)))
		note(&b, "packed-refs", filepath.Join(common, "packed-refs"))
	}
	err := filepath.WalkDir(filepath.Join(common, "refs"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasSuffix(path, ".lock") {
			note(&b, path, path)
		}
		return nil
	})
	if err != nil {
		return ""
	}
	return b.String()
}

func note(b *strings.Builder, name, path string) {
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	inode := uint64(0)
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		inode = st.Ino
	}
	fmt.Fprintf(b, "%s %d %d %d\n", name, info.ModTime().UnixNano(), info.Size(), inode)
}

// linked follows the file that stands for .git in work trees and submodules.
func linked(path, file string) string {
	data, err := os.ReadFile(file)
	if err != nil || len(data) > 4096 {
		return ""
	}
	target, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if !ok {
		return ""
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(path, target)
	}
	return target
}

// Watched lists the folders in which a local repository's references change.
func (r *Remote) Watched() []string {
	dir := Folder(r.at.Path)
	if r.at.Scheme != "file" || dir == "" {
		return nil
	}
	dirs := []string{dir}
	_ = filepath.WalkDir(filepath.Join(dir, "refs"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			dirs = append(dirs, path)
		}
		return nil
	})
	return dirs
}
