package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/source/mirror"
)

// Given is a file or folder that a flag names.
type Given struct {
	Path string
	// top is the checkout that it lies in, and rel where; empty for what lies in
	// none, which is the person's own.
	top, rel string
}

// NameIn finds out in which of some checkouts a path lies. One that a link leads
// out of them, or to what Git keeps for itself, is an error: who wrote the
// checkout chose where it leads.
func NameIn(path string, checkouts []string) (Given, error) {
	for _, top := range checkouts {
		rel, inside, err := bounded.Within(top, path)
		if inside && mirror.Private(rel) && !privateByName(path, rel) {
			err = &bounded.Stray{Name: path, Folder: top, To: filepath.Join(top, rel)}
		}
		if err != nil || inside {
			return Given{path, top, rel}, err
		}
	}
	return Given{Path: path}, nil
}

// privateByName reports whether a path says itself that it leads to what is
// private, so that whoever wrote the path means that.
func privateByName(path, rel string) bool {
	full, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	written := strings.Split(filepath.ToSlash(full), "/")
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if mirror.Private(part) && !slices.Contains(written, part) {
			return false
		}
	}
	return true
}

// whereIs finds out whether a path lies in any checkout, for commands that look at none.
func whereIs(path string) (Given, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return Given{}, err
	}
	return NameIn(path, CheckoutsAround(filepath.Dir(full)))
}

// CheckoutsAround are the checkouts that a folder lies in, the nearest first:
// by its name, and without links.
func CheckoutsAround(folder string) []string {
	full, err := filepath.Abs(folder)
	if err != nil {
		return nil
	}
	var out []string
	for _, from := range []string{bounded.Real(full), full} {
		for at, last := from, ""; at != last; at, last = filepath.Dir(at), at {
			if top := source.Top(at); top != "" && !slices.Contains(out, top) {
				out = append(out, top)
			}
		}
	}
	return out
}

// Read reads a file of so many bytes at most: in a checkout a regular one, to
// which no link leads out of that.
func (n Given) Read(most int64) ([]byte, error) {
	if n.top == "" {
		return bounded.File(n.Path, most)
	}
	return bounded.Below(n.top, n.rel, most)
}

// open is read for who reads as it comes.
func (n Given) open() (_ *os.File, err error) {
	if n.top == "" {
		return os.Open(n.Path)
	}
	root, err := os.OpenRoot(n.top)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return bounded.Plain(root, n.rel)
}

// ReadNamed reads a file that a flag names, for commands that look at no checkout.
func ReadNamed(path string, most int64) ([]byte, error) {
	n, err := whereIs(path)
	if err != nil {
		return nil, err
	}
	return n.Read(most)
}

// OpenNamed is ReadNamed for who reads as it comes.
func OpenNamed(path string) (*os.File, error) {
	n, err := whereIs(path)
	if err != nil {
		return nil, err
	}
	return n.open()
}

// Steady makes sure that what a person names is where it seems to be, and in a
// checkout a folder or a regular file.
func Steady(flag string, paths ...string) error {
	for _, path := range paths {
		n, err := whereIs(path)
		if err == nil && n.top != "" {
			err = n.settled()
		}
		if err != nil {
			return fmt.Errorf("cannot use --%s: %w", flag, err)
		}
	}
	return nil
}

// settled refuses what can have readers wait, or read, for ever. What is not
// there is told by who reads it.
func (n Given) settled() error {
	info, err := os.Lstat(filepath.Join(n.top, n.rel))
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file", n.Path)
	}
	return nil
}

// SteadyMirrors are the mirrors of a command that looks at what somebody else may have written.
func SteadyMirrors(texts []string) ([]source.Mirror, error) {
	mirrors, err := ParseMirrors(texts)
	for _, m := range mirrors {
		if err == nil {
			err = Steady("mirror", m.Path)
		}
	}
	return mirrors, err
}

// LongestInput bounds a file that a flag names, in bytes.
const LongestInput = 1 << 20

// ParseMirrors are mirrors of whose folders the person answers for: of an engine
// that they run. Other commands have SteadyMirrors.
func ParseMirrors(texts []string) ([]source.Mirror, error) {
	var mirrors []source.Mirror
	for _, text := range texts {
		m, err := source.ParseMirror(text)
		if err != nil {
			return nil, UsageError{Err: err}
		}
		if err := m.Check(); err != nil {
			return nil, err
		}
		mirrors = append(mirrors, m)
	}
	return mirrors, nil
}
