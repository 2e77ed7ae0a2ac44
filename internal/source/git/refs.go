package git

import (
	"bufio"
	"bytes"
	"context"
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

// refs are a repository's references as git ls-remote lists them, in a file: a
// repository has many of which few are asked for. Nothing of them is kept in memory.
type refs struct {
	path string
	// sum is the same for the same references.
	sum   string
	count int
	// named are branches and tags.
	named struct{ count, size int }
	lost  *atomic.Bool
	// known is what was found in them: thousands of Applications ask for few names.
	known *cache.LRU[sought, named]
}

// sought is a revision, or how the hash of a tip begins.
type sought struct {
	text  string
	short bool
}

// knownSize bounds what is kept of a repository's names, in bytes, and knownEntry
// is about what one takes beside its texts.
const (
	knownSize  = 64 << 10
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

// looked is how many references are looked at between two looks at the context.
const looked = 4096

// each shows what names lead to, in the order of the server, for as long as more
// says so. The texts are another's as soon as it returns.
func (r *refs) each(ctx context.Context, more func(hash, name []byte) bool) error {
	f, err := os.Open(r.path)
	if err != nil {
		r.lost.Store(true)
		return unwritable(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	lines := bufio.NewScanner(f)
	for n := 0; lines.Scan(); n++ {
		if n%looked == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		hash, name, _ := bytes.Cut(lines.Bytes(), []byte{'\t'})
		if !more(hash, name) {
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return unwritable(err)
	}
	return ctx.Err()
}

// find returns what a revision names; nothing where it names nothing. Branches
// come before tags, ranges before both, and a whole commit is no name: who may
// push a branch would move what others pinned.
func (r *refs) find(ctx context.Context, revision string) (named, error) {
	return r.once(sought{text: revision}, func() (named, error) { return r.search(ctx, revision) })
}

func (r *refs) search(ctx context.Context, revision string) (named, error) {
	if lower := strings.ToLower(revision); len(lower) == sha1Digits && IsHash(lower) {
		return named{hash: lower}, nil
	}
	if revision == "" || revision == "HEAD" {
		return r.head(ctx)
	}
	if version.IsRange(revision) {
		tag, err := r.newest(ctx, revision)
		if err != nil || tag != "" {
			return r.first(ctx, tagPrefix+tag)
		}
	}
	names := []string{branchPrefix + revision, tagPrefix + revision}
	// A name may start at refs/, or lack only refs/ or refs/remotes/.
	for _, name := range []string{revision, "refs/" + revision, "refs/remotes/" + revision} {
		if strings.HasPrefix(name, "refs/") {
			names = append(names, name)
		}
	}
	return r.first(ctx, names...)
}

// head is what HEAD stands for, by its hash or else by the name that the server tells.
func (r *refs) head(ctx context.Context) (named, error) {
	hash, target := "", ""
	err := r.each(ctx, func(h, name []byte) bool {
		if string(name) != "HEAD" {
			return true
		}
		if to, symbolic := bytes.CutPrefix(h, []byte(symbolicRef)); symbolic {
			target = string(to)
			return true
		}
		hash = string(h)
		return false
	})
	switch {
	case err != nil || hash != "":
		return named{hash, "HEAD"}, err
	case strings.HasPrefix(target, branchPrefix):
		return r.first(ctx, target)
	}
	return named{}, nil
}

// first is the first of some names that is there. An annotated tag is the commit
// that it stands for.
func (r *refs) first(ctx context.Context, names ...string) (named, error) {
	rank := map[string]int{}
	for i, name := range names {
		for j, n := range []string{name + peeled, name} {
			if _, known := rank[n]; !known {
				rank[n] = 2*i + j
			}
		}
	}
	best, out := 2*len(names), named{}
	err := r.each(ctx, func(hash, name []byte) bool {
		if at, ok := rank[string(name)]; ok && at < best && len(hash) > 0 && hash[0] != symbolicRef[0] {
			best, out = at, named{string(hash), names[at/2]}
		}
		return best > 0
	})
	return out, err
}

// exact is what a name itself leads to, which of an annotated tag is the tag.
func (r *refs) exact(ctx context.Context, name string) (string, error) {
	out := ""
	err := r.each(ctx, func(hash, n []byte) bool {
		if string(n) == name {
			out = string(hash)
		}
		return out == ""
	})
	return out, err
}

// newest is the newest tag within a range; empty for none.
func (r *refs) newest(ctx context.Context, within string) (string, error) {
	pick := version.Within(within)
	if pick == nil {
		return "", nil
	}
	err := r.each(ctx, func(_, name []byte) bool {
		if tag, ok := bytes.CutPrefix(name, []byte(tagPrefix)); ok && !bytes.HasSuffix(tag, []byte(peeled)) {
			pick.Offer(string(tag))
		}
		return true
	})
	tag, _ := pick.Best()
	return tag, err
}

// abbreviated finds the one commit at a reference's tip whose hash starts so.
func (r *refs) abbreviated(ctx context.Context, prefix string) (string, error) {
	of, err := r.once(sought{prefix, true}, func() (named, error) {
		hash, err := r.begins(ctx, prefix)
		return named{hash: hash}, err
	})
	return of.hash, err
}

func (r *refs) begins(ctx context.Context, prefix string) (string, error) {
	one, several := "", false
	err := r.each(ctx, func(hash, _ []byte) bool {
		if bytes.HasPrefix(hash, []byte(prefix)) && string(hash) != one {
			several = one != ""
			one = string(hash)
		}
		return !several
	})
	if several {
		return "", err
	}
	return one, err
}

// near are names to suggest: of very many the first ones that the server lists.
type near struct{ branches, tags []string }

// suggested is how many branches, and how many tags, are looked at for that.
const suggested = 5000

func (r *refs) near(ctx context.Context) (near, error) {
	var n near
	err := r.each(ctx, func(_, name []byte) bool {
		if b, ok := bytes.CutPrefix(name, []byte(branchPrefix)); ok && len(n.branches) < suggested {
			n.branches = append(n.branches, string(b))
		}
		if t, ok := bytes.CutPrefix(name, []byte(tagPrefix)); ok && len(n.tags) < suggested && !bytes.HasSuffix(t, []byte(peeled)) {
			n.tags = append(n.tags, string(t))
		}
		return len(n.branches) < suggested || len(n.tags) < suggested
	})
	version.Sort(n.tags)
	return n, err
}

func (n near) all() []string {
	all := append(append([]string{}, n.tags...), n.branches...)
	version.Sort(all)
	return all
}

// tips reads, as git rev-list does, that nothing counts which the references lead to.
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
		if hash, _, _ := bytes.Cut(t.lines.Bytes(), []byte{'\t'}); isHash(hash) {
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

// IsHash tells whether s is a full object name: 40 hexadecimal digits, or 64.
func IsHash(s string) bool { return isHash(s) }

func isHash[T string | []byte](s T) bool { return (len(s) == 40 || len(s) == 64) && isHex(s) }

// IsCommit tells whether a revision can be a commit's own name, whole or
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
