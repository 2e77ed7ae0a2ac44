// Package lockfile keeps what a repository needs from elsewhere in a folder
// that CI can cache, locked by digest: charts, Git repositories, artifacts.
//
// The folder has a file, mirror.lock.yaml, that says what each reference
// resolved to, fit to be committed and read in a diff, and the content beside
// it as objects of Git: trees of files without history. The folder may be
// somebody else's, so git is never run in it. The package fetches nothing: it
// is given snapshots, and gives them back.
package lockfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
	"github.com/causeway-gitops/causeway/internal/source/git"
)

// Name is the lock's file name in the folder.
const Name = "mirror.lock.yaml"

const (
	// schema is the lock's version.
	schema = 1
	// content is the folder of all content.
	content = "objects.git"
	// scheme says how digests are made: the object name of a Git tree.
	scheme = "git-tree:"
	// longest bounds the lock, in bytes, most its references, and mostValues what
	// they are made of, with the signs in messages.
	longest    = 16 << 20
	most       = 20_000
	mostValues = 50 * most
)

// Reference is one line of the lock: what was asked for, and what it is.
type Reference struct {
	// RepoURL, without who asks and a query, Chart and Revision are as they were asked for.
	RepoURL  string `yaml:"repoURL"`
	Chart    string `yaml:"chart,omitempty"`
	Revision string `yaml:"revision,omitempty"`
	// Resolved is the full commit, the exact version or the OCI digest.
	Resolved string `yaml:"resolved"`
	// Digest names the content: git-tree:<object name>.
	Digest string `yaml:"digest"`
	// Path is where in the folder the content is.
	Path string `yaml:"path"`
	// Commit is that of a Git repository.
	Commit *Commit `yaml:"commit,omitempty"`
}

// Commit says who made a revision, and when.
type Commit struct {
	Author  string    `yaml:"author,omitempty"`
	Date    time.Time `yaml:"date,omitempty"`
	Message string    `yaml:"message,omitempty"`
}

// String names a reference in messages.
func (r Reference) String() string {
	s := r.RepoURL
	if r.Chart != "" {
		s = "chart " + r.Chart + " of " + s
	}
	if r.Revision != "" {
		s += " at " + r.Revision
	}
	return s
}

func (r Reference) tree() string { return strings.TrimPrefix(r.Digest, scheme) }

// asked is what makes two references the same. The lock says nothing that may
// be a secret, so two addresses that differ in their query alone are one to it.
type asked struct{ name, chart, revision string }

func (r Reference) asked() asked {
	return asked{address.Name(gitops.PublicAddress(r.RepoURL)), r.Chart, r.Revision}
}

func askedOf(ref gitops.SourceRef) asked {
	return asked{address.Name(gitops.PublicAddress(ref.RepoURL)), ref.Chart, strings.TrimSpace(ref.Revision)}
}

// file is the lock as it is written.
type file struct {
	Version    int         `yaml:"version"`
	References []Reference `yaml:"references"`
}

const header = "# What this repository needs from elsewhere. Written by `causeway mirror`.\n"

// read reads the lock of a folder; without one it is empty.
func read(dir string) ([]Reference, error) {
	data, err := bounded.Below(dir, Name, longest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(dir, err)
	}
	all, err := parse(data)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	return all, nil
}

func unreadable(dir string, err error) error {
	p := &gitops.Problem{Kind: gitops.Invalid, What: fmt.Sprintf("cannot read %s: %v", filepath.Join(dir, Name), err), Err: err}
	return p.Do("resolve merge conflicts in it, or delete it and run `causeway mirror` again")
}

// parse reads a lock and proves that it says nothing impossible.
func parse(data []byte) ([]Reference, error) {
	var f file
	if err := bounded.DecodeUpTo(data, mostValues, &f); err != nil {
		return nil, err
	}
	if err := bounded.Alone(data); err != nil {
		return nil, err
	}
	if f.Version != schema {
		return nil, fmt.Errorf("it has version %d; this engine knows version %d", f.Version, schema)
	}
	if len(f.References) > most {
		return nil, fmt.Errorf("it has more than %d references", most)
	}
	for i, r := range f.References {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("reference %d (%s): %w", i+1, gitops.PublicAddress(r.RepoURL), err)
		}
	}
	return f.References, nil
}

func (r Reference) check() error {
	at, err := address.Parse(r.RepoURL)
	switch {
	case err != nil:
		return err
	case at.Password != "":
		return errors.New("its address has a password in it; remove it")
	case r.Resolved == "":
		return errors.New("resolved is missing")
	case !strings.HasPrefix(r.Digest, scheme) || !git.IsHash(r.tree()):
		return fmt.Errorf("digest %q is not %s with an object name", r.Digest, scheme)
	case r.Path != content:
		return fmt.Errorf("path %q is not %s", r.Path, content)
	}
	return nil
}

// format writes a lock, sorted, so that a change of one reference is a
// change of few lines.
func format(all []Reference) ([]byte, error) {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b Reference) int {
		return cmp.Or(strings.Compare(a.RepoURL, b.RepoURL), strings.Compare(a.Chart, b.Chart), strings.Compare(a.Revision, b.Revision))
	})
	out := bytes.NewBufferString(header)
	w := yaml.NewEncoder(out)
	w.SetIndent(2)
	if err := errors.Join(w.Encode(file{schema, sorted}), w.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
