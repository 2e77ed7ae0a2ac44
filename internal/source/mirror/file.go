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
	if strings.ContainsAny(url, "?#") {
		return nil, missing // a folder cannot answer questions
	}
	m, rest, ok := t.Find(address.Name(url))
	if !ok || rest == "" {
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
