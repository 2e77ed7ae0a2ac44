// Package mirror serves repositories from local folders: for offline work,
// tests and demonstrations.
//
// A Table tells which folder stands for an address. A Folder that is no Git
// repository is committed into a hidden store whenever its content changes,
// so that everything after it sees a repository. Charts inside of a folder
// are the business of package chart.
package mirror

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// Mirror says that a local folder stands for a repository, or, when URL is
// only the start of addresses, for all repositories below it.
type Mirror struct {
	URL string
	// Path is absolute.
	Path string
	// WorkTree serves a Git checkout with its uncommitted edits.
	WorkTree bool
}

const (
	example  = "https://github.com/org/repo=/srv/repo"
	workTree = "?worktree"
)

// Parse reads URL=PATH or URL=PATH?worktree. A relative path counts from
// the current folder, and ~/ from the user's home.
func Parse(text string) (Mirror, error) {
	url, path, ok := strings.Cut(strings.TrimSpace(text), "=")
	if !ok {
		return Mirror{}, fmt.Errorf("cannot read mirror %q: it has no \"=\"; write URL=PATH, as in %s", gitops.PublicAddress(text), example)
	}
	at, err := address.Parse(url)
	if err != nil {
		return Mirror{}, fmt.Errorf("cannot read mirror %q: %w; write URL=PATH, as in %s", gitops.PublicAddress(url), err, example)
	}
	if at.Password != "" {
		return Mirror{}, fmt.Errorf("cannot read mirror of %s: leave the password out of the URL; a mirror needs none", gitops.PublicAddress(url))
	}
	path, inWork := strings.CutSuffix(path, workTree)
	if path == "" {
		return Mirror{}, fmt.Errorf("cannot read mirror %q: the path after \"=\" is empty; write URL=PATH, as in %s", gitops.PublicAddress(url)+"=", example)
	}
	path, err = absolute(path)
	if err != nil {
		return Mirror{}, fmt.Errorf("cannot read mirror of %s: %w", gitops.PublicAddress(url), err)
	}
	return Mirror{URL: url, Path: path, WorkTree: inWork}, nil
}

func absolute(path string) (string, error) {
	if strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("path %q holds a zero byte", path)
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		path = filepath.Join(home, rest)
	}
	return filepath.Abs(path)
}

// Check tells what keeps a mirror from being served at all.
func (m Mirror) Check() error {
	info, err := os.Stat(m.Path)
	if err != nil {
		return fmt.Errorf("cannot serve mirror of %s: %w; make the folder or correct the path", gitops.PublicAddress(m.URL), err)
	}
	if !info.IsDir() {
		return fmt.Errorf("cannot serve mirror of %s: %s is not a folder", gitops.PublicAddress(m.URL), m.Path)
	}
	return nil
}

// Table finds the mirror of an address.
type Table struct {
	rows []row
}

type row struct {
	Mirror
	name string
}

// NewTable makes a Table; of two mirrors for one address the later counts.
func NewTable(mirrors []Mirror) Table {
	var t Table
	for _, m := range slices.Backward(mirrors) {
		t.rows = append(t.rows, row{m, address.Name(m.URL)})
	}
	slices.SortStableFunc(t.rows, func(a, b row) int { return len(b.name) - len(a.name) })
	return t
}

// Find returns the mirror with the longest matching URL and what the name
// (see address.Name) has beyond it; rest is empty for an exact match.
func (t Table) Find(name string) (m Mirror, rest string, ok bool) {
	for _, r := range t.rows {
		if name == r.name {
			return r.Mirror, "", true
		}
		if rest, ok := strings.CutPrefix(name, strings.TrimSuffix(r.name, "/")+"/"); ok && filepath.IsLocal(rest) {
			return r.Mirror, rest, true
		}
	}
	return Mirror{}, "", false
}
