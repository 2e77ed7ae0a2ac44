package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Received is what a server sent, in a file that has no name of its own yet: it
// may be larger than what should be in memory.
type Received struct {
	// Name is where the file is until it is placed, then empty.
	Name string
	// Size is one more than the limit where more came.
	Size int64
	// Sum is the SHA-256 of what came, in hexadecimal.
	Sum string
	// Err is why not all of it came.
	Err error
}

// Receive writes what comes into a folder, up to one byte more than a limit. The
// error is that of the disk. Who receives places it, or drops it.
func Receive(dir string, from io.Reader, limit int64) (*Received, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, unwritable(err)
	}
	f, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return nil, unwritable(err)
	}
	r, sum, sent := &Received{Name: f.Name()}, sha256.New(), &sender{from: from}
	r.Size, err = io.Copy(io.MultiWriter(f, sum), io.LimitReader(sent, limit+1))
	r.Sum, r.Err = hex.EncodeToString(sum.Sum(nil)), sent.err
	if r.Err != nil {
		err = nil
	}
	if err = errors.Join(err, f.Close()); err != nil {
		r.Drop()
		return nil, unwritable(err)
	}
	return r, nil
}

// Place gives the file its name.
func (r *Received) Place(name string) error {
	if err := os.Rename(r.Name, name); err != nil {
		return unwritable(err)
	}
	r.Name = ""
	return nil
}

// Drop removes the file, unless it was placed.
func (r *Received) Drop() {
	if r.Name != "" {
		_ = os.Remove(r.Name) // what stays goes when the folder does
	}
}

// sender remembers why reading ended, which io.Copy does not tell from why
// writing did.
type sender struct {
	from io.Reader
	err  error
}

func (s *sender) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// Whole reports whether a file is there, with the SHA-256 where that is not empty.
func Whole(name, sum string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	if sum == "" {
		return true
	}
	got := sha256.New()
	_, err = io.Copy(got, f)
	return err == nil && hex.EncodeToString(got.Sum(nil)) == sum
}

func unwritable(err error) error {
	return &gitops.Problem{Kind: gitops.Unreachable, What: fmt.Sprintf("cannot write into the cache folder: %v", err), Fix: "free disk space, or point --cache-dir at a folder that can be written", Err: err}
}
