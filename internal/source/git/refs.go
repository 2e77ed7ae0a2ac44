package git

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/version"
)

// What lines of a listing, and names in it, begin with.
const (
	symbolicRef  = "ref: "
	branchPrefix = "refs/heads/"
	tagPrefix    = "refs/tags/"
	// peeled follows the name of an annotated tag where it leads to the commit.
	peeled = "^{}"
)

// refs are a repository's references as git ls-remote lists them, in files: a
// repository has many of which few are asked for. Nothing of them is kept in memory.
type refs struct {
	// path is the file of HEAD, branches and tags, and others the one of all other
	// references; empty where there are none.
	path, others string
	// sum is the same for the same references.
	sum   string
	count int
	// named are branches and tags.
	named struct{ count, size int }
	lost  *atomic.Bool
	// known is what was found in them, or that there is nothing: thousands of
	// Applications ask for few names.
	known *cache.LRU[sought, named]
	spent *ledger
	// newestFirst are the tags, for ranges.
	newestFirst *order
}

// sought is what is looked for: a revision, how the hash of a tip begins, or a tag.
type sought struct {
	text string
	by   way
}

type way uint8

const (
	byRevision way = iota
	byDigits
	byTag
)

// knownSize bounds what is kept of a repository's names, in bytes, and knownEntry
// is about what one takes beside its texts.
const (
	knownSize  = 1 << 20
	knownEntry = 300
)

// once answers a question that was asked before as then: the references stay the same.
func (r *refs) once(q sought, find func() (named, error)) (named, error) {
	if of, ok := r.known.Get(q); ok {
		return of, nil
	}
	of, err := find()
	if err == nil {
		r.known.Put(q, of, int64(len(q.text)+len(of.ref)+knownEntry))
	}
	return of, err
}

// named is the commit that a name stands for, and the reference to fetch it by.
type named struct{ hash, ref string }

// isNamed reports whether a reference is a branch or tag. Who may push nothing has
// a host list others, such as the head of a pull request: these are for who asks
// for them by their whole name.
func isNamed(name []byte) bool {
	return bytes.HasPrefix(name, []byte(branchPrefix)) || bytes.HasPrefix(name, []byte(tagPrefix))
}

// near are names to suggest: of very many the first ones that the server lists.
type near struct{ branches, tags []string }

// suggested is how many branches, and how many tags, are looked at for that.
const suggested = 5000

func (n near) all() []string {
	all := append(append([]string{}, n.tags...), n.branches...)
	version.Sort(all)
	return all
}

// tips reads, as git rev-list does, that nothing counts which branches and tags
// lead to.
func (r *refs) tips() (io.ReadCloser, error) {
	f, err := os.Open(r.path)
	if err != nil {
		r.lost.Store(true)
		return nil, unwritable(err)
	}
	return &tips{Closer: f, lines: bufio.NewScanner(f)}, nil
}

type tips struct {
	io.Closer
	lines *bufio.Scanner
	rest  []byte
}

// Read implements io.Reader.
func (t *tips) Read(p []byte) (int, error) {
	for len(t.rest) == 0 {
		if !t.lines.Scan() {
			if err := t.lines.Err(); err != nil {
				return 0, err
			}
			return 0, io.EOF
		}
		if hash, name, _ := bytes.Cut(t.lines.Bytes(), []byte{'\t'}); isNamed(name) && isHash(hash) {
			t.rest = append(append([]byte{'^'}, hash...), '\n')
		}
	}
	n := copy(p, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}

// The bounds of a repository of which all branches and tags are fetched.
const (
	maxNamed     = 100_000
	maxNamedSize = 16 << 20
)

// few tells why not all branches and tags are fetched.
func (r *refs) few() error {
	if r.named.count <= maxNamed && r.named.size <= maxNamedSize {
		return nil
	}
	return gitops.Problemf(gitops.NotFound, "the repository does not give the commit by itself, and has too many branches and tags to look for it in all: %s", r.size()).
		Do("set targetRevision to a branch or tag, or to the whole hash of a commit that one leads to")
}

func (r *refs) size() string {
	return fmt.Sprintf("%d, of %d MiB (the bounds are %d, and %d MiB)", r.named.count, r.named.size>>20, maxNamed, maxNamedSize>>20)
}

// sha1Digits is how long the names of commits are in the repositories that are
// fetched.
const sha1Digits = 40

// IsHash reports whether s is a full object name: 40 hexadecimal digits, or 64.
func IsHash(s string) bool { return isHash(s) }

func isHash[T string | []byte](s T) bool { return (len(s) == 40 || len(s) == 64) && isHex(s) }

// IsCommit reports whether a revision can be a commit's own name, whole or
// abbreviated. A branch or tag may have such a name, too.
func IsCommit(revision string) bool {
	lower := strings.ToLower(revision)
	return IsHash(lower) || isShort(lower)
}

func isShort(s string) bool { return len(s) >= 7 && len(s) < 64 && isHex(s) }

func isHex[T string | []byte](s T) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
