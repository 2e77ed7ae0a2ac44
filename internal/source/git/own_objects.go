package git

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// sound makes sure that a repository's objects are its own: git follows links
// and alternates wherever they lead, so that a repository could show those of
// any other that this user may read.
func sound(p Place) error {
	return ownObjects(p.Common, filepath.Join(p.Common, "objects"))
}

func ownObjects(repository, objects string) error {
	info, err := os.Lstat(objects)
	if err != nil {
		return notThere(repository, err)
	}
	if !info.IsDir() {
		return borrowed(repository, objects)
	}
	list, err := os.ReadDir(objects)
	if err != nil {
		return notThere(repository, err)
	}
	for _, e := range list {
		name := filepath.Join(objects, e.Name())
		if e.Type()&fs.ModeSymlink != 0 {
			return borrowed(repository, name)
		}
		if !e.IsDir() {
			continue
		}
		if err := noLinks(repository, name); err != nil {
			return err
		}
	}
	return noAlternates(repository, filepath.Join(objects, "info", "alternates"))
}

func noLinks(repository, dir string) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return notThere(repository, err)
	}
	for _, e := range list {
		name := filepath.Join(dir, e.Name())
		if e.Type()&fs.ModeSymlink != 0 {
			return borrowed(repository, name)
		}
		if e.IsDir() { // of a chain of commit graphs
			if err := noLinks(repository, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func noAlternates(repository, file string) error {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return borrowed(repository, file)
	}
	f, err := os.Open(file)
	if err != nil {
		return notThere(repository, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" && !strings.HasPrefix(line, "#") {
			return borrowed(repository, file)
		}
	}
	if err := lines.Err(); err != nil {
		return borrowed(repository, file)
	}
	return nil
}

func borrowed(repository, name string) error {
	return gitops.Problemf(gitops.Refused, "cannot read the repository in %s: %s leads to objects of another repository", repository, name).
		Do("run `git repack -a -d` in there and remove that file, or make a clone with --dissociate")
}
