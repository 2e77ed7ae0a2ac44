package record

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Decrypter opens files that are encrypted in a repository.
type Decrypter interface {
	// Decrypt returns the text that a file is read as. The Encryption is nil
	// for a plain file. Errors that a person can act on are a
	// *gitops.Problem; they say the file but not the place. It ends with the context.
	Decrypt(ctx context.Context, name string, text []byte) ([]byte, *Encryption, error)
}

// Encryption tells of a file that is encrypted.
type Encryption struct {
	// Opened tells that the plain text was given, or should have been.
	Opened bool
	// Recipients are the public names of the keys that open the file.
	Recipients []string
	// Values are those that were decrypted.
	Values []string
}

// Sealed is a file that was read as it is encrypted, for lack of keys.
type Sealed struct {
	File       string
	Recipients []string
}

// Decrypting lets a decrypter see each file that is read. It is called
// before the first read.
func (t *Tree) Decrypting(d Decrypter) *Tree {
	t.decrypter = d
	return t
}

// Secret reports whether what was made of this tree must be kept in memory only.
func (t *Tree) Secret() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.secret
}

// KeepSecret says that what is made of this tree must be kept in memory only.
func (t *Tree) KeepSecret() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.secret = true
}

// Sealed returns the files that were read encrypted, sorted.
func (t *Tree) Sealed() []Sealed {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]Sealed, 0, len(t.sealed))
	for name, recipients := range t.sealed {
		out = append(out, Sealed{name, recipients})
	}
	slices.SortFunc(out, func(a, b Sealed) int { return strings.Compare(a.File, b.File) })
	return out
}

func (t *Tree) decrypt(name string, text []byte) ([]byte, error) {
	if t.decrypter == nil {
		return text, nil
	}
	plain, e, err := t.decrypter.Decrypt(t.ctx, name, text)
	var p *gitops.Problem
	if errors.As(err, &p) {
		_ = p.At(t.Where(name, 0))
	}
	if e == nil {
		return plain, err
	}
	if err == nil {
		err = t.Hold(name, "decrypted file "+name, max(0, len(plain)-len(text)))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if much := t.hide(name, e.Values); much != nil && err == nil {
		plain, err = nil, much
	}
	if e.Opened || err != nil {
		t.secret = true // also a failure: with another key it may not fail
		return plain, err
	}
	if t.sealed == nil {
		t.sealed = map[string][]string{}
	}
	t.sealed[name] = e.Recipients
	return plain, nil
}

// file is an open file whose text is at hand.
type file struct {
	*bytes.Reader

	info fs.FileInfo
}

// Stat implements fs.File; the size is that of the file in the repository.
func (f file) Stat() (fs.FileInfo, error) { return f.info, nil }

// Close implements fs.File.
func (file) Close() error { return nil }
