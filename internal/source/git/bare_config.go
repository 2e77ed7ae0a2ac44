package git

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/causeway-gitops/causeway/internal/privatedir"
)

// The object formats that git has.
const (
	sha1Format   = "sha1"
	sha256Format = "sha256"
)

// bareConfig is all that configures a repository of the engine's own.
func bareConfig(format string) string {
	if format == sha256Format {
		return "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
	}
	return "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
}

// makeBare makes the bare repository at a folder, or makes one the engine's
// own again: a cache may lie where others write, and what such a folder says
// of commands to run or of objects elsewhere does not count.
func makeBare(dir, config string) error {
	if err := unlink(dir, "", "objects", "objects/pack", "objects/info", "refs", "refs/heads"); err != nil {
		return err
	}
	for _, name := range []string{"objects/pack", "objects/info", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(name)), 0o700); err != nil {
			return err
		}
	}
	if err := disown(dir); err != nil {
		return err
	}
	if err := keepFile(filepath.Join(dir, "config"), []byte(config)); err != nil {
		return err
	}
	return keepHead(filepath.Join(dir, "HEAD"))
}

// unlink removes folders of the engine's own that are links instead: what they
// lead to is somebody else's.
func unlink(dir string, names ...string) error {
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if privatedir.IsLink(path) {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepHead writes HEAD where it is missing or was cut off as it was written:
// git takes a folder without one for no repository.
func keepHead(name string) error {
	if now, err := os.ReadFile(name); err == nil && bytes.HasPrefix(now, []byte("ref: refs/")) && bytes.HasSuffix(now, []byte("\n")) {
		return nil
	}
	return keepFile(name, []byte("ref: refs/heads/main\n"))
}

// foreignParts are what a repository of the engine's own never has: other
// configuration, commands to run, and objects of other repositories.
var foreignParts = []string{"hooks", "info", "config.worktree", "commondir", "worktrees", "modules", "objects/info/alternates", "objects/info/http-alternates"}

func disown(dir string) error {
	var errs []error
	for _, name := range foreignParts {
		errs = append(errs, os.RemoveAll(filepath.Join(dir, filepath.FromSlash(name))))
	}
	return errors.Join(errs...)
}

// keepFile writes a file unless that is what it holds.
func keepFile(name string, content []byte) error {
	info, err := os.Lstat(name)
	if err == nil && info.Mode().IsRegular() {
		if now, err := os.ReadFile(name); err == nil && bytes.Equal(now, content) {
			return nil
		}
	}
	if err := os.RemoveAll(name); err != nil {
		return err
	}
	if err := os.WriteFile(name, content, 0o600); err != nil {
		return fmt.Errorf("cannot write %s: %w", filepath.Base(name), err)
	}
	return nil
}
