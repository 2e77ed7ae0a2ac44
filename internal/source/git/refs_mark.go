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
// repository's references and configuration. git replaces these files and
// never writes into them, so any move of a branch changes the mark. It is
// empty when it cannot be told.
func refsMark(p Place) string {
	if p.Dir == "" {
		return ""
	}
	var b strings.Builder
	for _, name := range []string{"HEAD", "FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD"} {
		note(&b, name, filepath.Join(p.Dir, name))
	}
	for _, name := range []string{"packed-refs", "shallow", "config", "config.worktree", "info/exclude", "info/attributes", "objects/info/alternates"} {
		note(&b, name, filepath.Join(p.Common, filepath.FromSlash(name)))
	}
	err := filepath.WalkDir(filepath.Join(p.Common, "refs"), func(path string, e fs.DirEntry, err error) error {
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

// localMark is refsMark with what says where the repository is.
func localMark(folder string, p Place) string {
	refs := refsMark(p)
	if refs == "" {
		return ""
	}
	var b strings.Builder
	note(&b, folder, filepath.Join(folder, ".git"))
	return b.String() + refs
}

func note(b *strings.Builder, name, path string) {
	info, err := os.Lstat(path)
	if err != nil {
		return
	}
	inode := uint64(0)
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		inode = st.Ino
	}
	fmt.Fprintf(b, "%s %d %d %d\n", name, info.ModTime().UnixNano(), info.Size(), inode)
}

// Watched lists the folders in which a local repository's references change.
func (r *Remote) Watched() []string {
	r.mu.Lock()
	p := r.place
	r.mu.Unlock()
	if r.at.Scheme != "file" || p.Dir == "" {
		return nil
	}
	dirs := []string{p.Dir}
	if info, err := os.Lstat(r.at.Path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		dirs = append(dirs, r.at.Path) // the link may be turned
	}
	if p.Common != p.Dir {
		dirs = append(dirs, p.Common)
	}
	_ = filepath.WalkDir(filepath.Join(p.Common, "refs"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			dirs = append(dirs, path)
		}
		return nil
	})
	return dirs
}
