package mirror

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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
	text, err := readBelow(m.Path, rest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read %s from its mirror: %w", gitops.PublicAddress(url), err).Do("correct the folder " + m.Path)
	}
	return text, nil
}

// Stands tells whether a folder stands for what holds the file at an address.
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

// readBelow reads a plain file of a folder that no link leads out of.
func readBelow(dir, name string) (text []byte, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	name = filepath.FromSlash(name)
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", name)
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	text, err = io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s has more than %d bytes", name, maxFile)
	}
	return text, err
}
