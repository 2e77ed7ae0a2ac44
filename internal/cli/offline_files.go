package cli

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/source"
)

// given is a file or folder that a flag names.
type given struct {
	path string
	// top is the checkout that it lies in, and rel where; empty for what lies in
	// none, which is the person's own.
	top, rel string
}

// nameIn finds out in which of some checkouts a path lies. One that a link leads
// out of them is an error: who wrote the checkout chose where it leads.
func nameIn(path string, checkouts []string) (given, error) {
	for _, top := range checkouts {
		rel, inside, err := bounded.Within(top, path)
		if err != nil || inside {
			return given{path, top, rel}, err
		}
	}
	return given{path: path}, nil
}

// checkoutsAround are the checkouts that a folder lies in, the nearest first:
// by its name, and without links.
func checkoutsAround(folder string) []string {
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

// read reads a file of so many bytes at most: in a checkout a regular one, to
// which no link leads out of that.
func (n given) read(most int64) ([]byte, error) {
	if n.top == "" {
		return bounded.File(n.path, most)
	}
	return bounded.Below(n.top, n.rel, most)
}

// name finds out whether a path lies in the checkout that is looked at.
func (o *offlineFlags) name(path string) (given, error) {
	return nameIn(path, checkoutsAround(o.repo))
}

// read reads a description that a flag names.
func (o *offlineFlags) read(path string) ([]byte, error) {
	n, err := o.name(path)
	if err != nil {
		return nil, err
	}
	return n.read(offline.MaxDescription)
}

// steady makes sure that folders which a person names are where they seem to be.
func steady(flag string, folders ...string) error {
	for _, folder := range folders {
		full, err := filepath.Abs(folder)
		if err == nil {
			_, err = nameIn(full, checkoutsAround(filepath.Dir(full)))
		}
		if err != nil {
			return fmt.Errorf("cannot use --%s: %w", flag, err)
		}
	}
	return nil
}

// steadyMirrors are the mirrors of a command that looks at what somebody else may have written.
func steadyMirrors(texts []string) ([]source.Mirror, error) {
	mirrors, err := parseMirrors(texts)
	for _, m := range mirrors {
		if err == nil {
			err = steady("mirror", m.Path)
		}
	}
	return mirrors, err
}
