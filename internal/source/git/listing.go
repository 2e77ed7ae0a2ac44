package git

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// The bounds of what a repository may list. The largest known ones have some
// 500,000 references, most of them of pull requests, which take 30 MB.
const (
	maxRefs    = 1_000_000
	maxListing = 64 << 20 // in bytes
	longestRef = 8 << 10
)

// listingName is how the files begin in which listings lie.
const listingName = "listing-"

// listing takes what git ls-remote writes, as it comes, into files: servers
// decide how much that is. Branches and tags have one of their own, as hardly
// anything else is looked for.
type listing struct {
	page   page
	others page
	sum    hash.Hash
	line   []byte // that has no end yet
	size   int
	kept   refs
	err    error
}

func (c *Command) newListing() (*listing, error) {
	l := &listing{page: page{home: c.home}, others: page{home: c.home}, sum: sha256.New()}
	if err := l.page.begin(); err != nil {
		return nil, unwritable(err)
	}
	return l, nil
}

// Reset forgets what came.
func (l *listing) Reset() {
	err := errors.Join(l.page.reset(), l.others.reset())
	*l = listing{page: l.page, others: l.others, sum: sha256.New()}
	if err != nil {
		l.err = unwritable(err)
	}
}

// Write takes a part of the text. After an error it takes no more.
func (l *listing) Write(p []byte) (int, error) {
	if l.size += len(p); l.size > maxListing {
		l.refuse("its references take more than %d MiB", maxListing>>20)
	}
	for rest := p; l.err == nil && len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte{'\n'})
		rest = after
		if l.line = append(l.line, part...); len(l.line) > longestRef {
			l.refuse("a reference has a name of more than %d characters", longestRef)
		}
		if ended && l.err == nil {
			l.keep(l.line)
			l.line = l.line[:0]
		}
	}
	return len(p), l.err
}

// keep keeps a line that says what a name leads to, and what HEAD stands for.
func (l *listing) keep(line []byte) {
	hash, name, ok := bytes.Cut(line, []byte{'\t'})
	target, symbolic := bytes.CutPrefix(hash, []byte(symbolicRef))
	if !ok || len(name) == 0 || !symbolic && !isHash(hash) || symbolic && (len(target) == 0 || string(name) != "HEAD") {
		return
	}
	if l.kept.count++; l.kept.count > maxRefs {
		l.refuse("it has more than %d references", maxRefs)
		return
	}
	to := &l.others
	switch {
	case isNamed(name):
		to = &l.page
		l.kept.named.count++
		l.kept.named.size += len(line)
	case string(name) == "HEAD":
		to = &l.page
	}
	_, _ = l.sum.Write(append(line, '\n')) // a hash never fails
	if err := to.write(append(line, '\n')); err != nil {
		l.err = unwritable(err)
	}
}

func (l *listing) refuse(what string, args ...any) {
	if l.err == nil {
		l.err = gitops.Problemf(gitops.Invalid, "cannot look up the repository: "+what, args...).
			Do("delete branches and tags that nobody needs there, or deploy from a repository of its own")
	}
}

// end closes the files. They are there for as long as the references are in use.
func (l *listing) end() (*refs, error) {
	if len(l.line) > 0 && l.err == nil {
		l.keep(l.line)
	}
	if err := errors.Join(l.page.end(), l.others.end()); err != nil && l.err == nil {
		l.err = unwritable(err)
	}
	if l.err != nil {
		l.page.drop()
		l.others.drop()
		return nil, l.err
	}
	kept := l.kept
	kept.path, kept.others, kept.sum, kept.lost = l.page.path(), l.others.path(), hex.EncodeToString(l.sum.Sum(nil)), &atomic.Bool{}
	kept.known, kept.spent, kept.newestFirst = cache.New[sought, named](knownSize), newLedger(time.Now), &order{home: l.page.home}
	r := &kept
	runtime.AddCleanup(r, removePages, []string{kept.path, kept.others}) // else the next start does, see NewCommand
	runtime.AddCleanup(r, (*order).remove, kept.newestFirst)
	return r, nil
}

func removePages(paths []string) {
	for _, path := range paths {
		if path != "" {
			_ = os.Remove(path) // what is left only takes space
		}
	}
}

// removeListings removes what another process left.
func removeListings(home string) {
	list, _ := os.ReadDir(home) // what is left only takes space
	for _, e := range list {
		if strings.HasPrefix(e.Name(), listingName) {
			_ = os.Remove(filepath.Join(home, e.Name()))
		}
	}
}
