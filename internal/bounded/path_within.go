package bounded

import (
	"fmt"
	"os"
	"path/filepath"
)

// Stray is a path that is written as one of a folder, and that a link leads out of it.
type Stray struct{ Name, Folder, To string }

// Error names the path, and where it leads.
func (e *Stray) Error() string {
	return fmt.Sprintf("%s lies in %s, and a link leads from there to %s; name that itself if it is what you mean", e.Name, e.Folder, e.To)
}

// Within is where a path lies in a folder, without links as far as it is there;
// false where it lies elsewhere. A path that only looks as if it lay in the
// folder is a Stray: who wrote the folder chose where it leads.
func Within(dir, name string) (rel string, inside bool, err error) {
	top, err := os.Stat(dir)
	if err != nil {
		return "", false, err
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return "", false, err
	}
	to := Real(full)
	if rel, inside = under(top, to); inside {
		return rel, true, nil
	}
	if _, written := under(top, full); written {
		return "", false, &Stray{name, dir, to}
	}
	return "", false, nil
}

// under is a path from the folder above it that is the one given.
func under(top os.FileInfo, path string) (string, bool) {
	for at, rel := path, "."; ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && os.SameFile(info, top) {
			return rel, true
		}
		if at == filepath.Dir(at) {
			return "", false
		}
		rel = filepath.Join(filepath.Base(at), rel)
	}
}

// Real is a path without links, as far as it is there.
func Real(name string) string {
	if to, err := filepath.EvalSymlinks(name); err == nil {
		return to
	}
	if parent := filepath.Dir(name); parent != name {
		return filepath.Join(Real(parent), filepath.Base(name))
	}
	return name
}
