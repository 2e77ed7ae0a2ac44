package mirror

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// maxFile bounds a file that is served by itself, in bytes: as much as one from the web may have.
const maxFile = 5 << 20

// File reads what a folder has of the file at an address; fs.ErrNotExist when no folder has it.
func (t Table) File(url string) ([]byte, error) {
	missing := &fs.PathError{Op: "get", Path: gitops.PublicAddress(url), Err: fs.ErrNotExist}
	m, rest, ok := t.holder(url)
	if !ok {
		return nil, missing
	}
	if _, err := m.Below(rest); err != nil {
		return nil, err
	}
	text, err := bounded.Below(m.Path, filepath.FromSlash(rest), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read %s from its mirror: %w", gitops.PublicAddress(url), err).Do("correct the folder " + m.Path)
	}
	return text, nil
}

// Stands reports whether a folder stands for what holds the file at an address.
func (t Table) Stands(url string) bool {
	_, _, ok := t.holder(url)
	return ok
}

// holder is the mirror with a file, and the file's name in it.
func (t Table) holder(url string) (m Mirror, rest string, ok bool) {
	if strings.ContainsAny(url, "?#") {
		return Mirror{}, "", false // a folder cannot answer questions
	}
	m, rest, ok = t.Find(address.Name(url))
	return m, rest, ok && rest != ""
}
