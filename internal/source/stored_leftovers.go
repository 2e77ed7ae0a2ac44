package source

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// outworn is how long the stored content of a repository is kept that no
// process opens any more, and of one in use a chart or artifact that is not read.
const outworn = 90 * 24 * time.Hour

// What is stored, by the folder of a slot: of each repository a folder, which
// each use touches, and of those that are fetched by pieces a file a piece.
var (
	storedFolders = []string{"git/*", "folders/*", "helm/*", "oci/*"}
	storedPieces  = []string{"helm/*/charts/*", "oci/*/*"}
)

// droppedName is how the folders begin in which is what is being removed.
const droppedName = "dropped-"

// dropOutworn removes what is stored of repositories that are long out of use.
// It is called before anything is read, when nobody holds a tree, by who has
// the slot's lock. What cannot be removed is tried again at the next start.
func dropOutworn(slot string, now time.Time) {
	for _, pattern := range storedFolders {
		each(slot, pattern, func(path string, info fs.FileInfo) {
			if info.IsDir() && now.Sub(info.ModTime()) > outworn {
				_ = os.RemoveAll(path)
			}
		})
	}
	each(slot, droppedName+"*", func(path string, _ fs.FileInfo) { _ = os.RemoveAll(path) })
	for _, pattern := range storedPieces {
		each(slot, pattern, func(path string, info fs.FileInfo) {
			if info.Mode().IsRegular() && now.Sub(info.ModTime()) > outworn {
				_ = os.Remove(path)
			}
		})
	}
}

func each(slot, pattern string, do func(path string, info fs.FileInfo)) {
	found, err := fs.Glob(os.DirFS(slot), pattern)
	if err != nil {
		return // it is a pattern
	}
	for _, name := range found {
		path := filepath.Join(slot, name)
		if info, err := os.Lstat(path); err == nil {
			do(path, info)
		}
	}
}
