package render

import (
	"bytes"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/causeway-gitops/causeway/internal/bounded"
	lru "github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/walk"
)

// Addresses tells which addresses may lead to something else for each of two inputs,
// and remembers of trees whether they have one. It is for all pairs of inputs of one
// comparison, side by side.
type Addresses struct {
	move func(address string) bool

	mu       sync.Mutex // held while a tree is looked through: one at a time has its files in memory
	anchored *lru.LRU[string, bool]
}

// NewAddresses makes Addresses of a function that reports whether an address may lead
// to something else.
func NewAddresses(move func(address string) bool) *Addresses {
	return &Addresses{move: move, anchored: lru.New[string, bool](keptTrees)}
}

const (
	// keptTrees are the bytes of the trees that are remembered, each by its digest and
	// what an entry takes besides.
	keptTrees = 1 << 20
	perTree   = 256
	// maxScanned bounds the files of a tree that are looked through together, and
	// maxScannedFile each, in bytes.
	maxScanned     = 512 << 20
	maxScannedFile = 32 << 20
)

// errUnscanned is of a tree that is too large to be looked through.
var errUnscanned = errors.New("the files are too large to be looked through")

// settled notes the tree as a whole, for what is read of it in ways that nobody
// follows, and reports whether no address in it may lead to something else.
func (v survey) settled() bool {
	return v.whole() && (v.closed || v.addresses != nil && !aside(v.source.Path) && v.still() && v.anchored())
}

// still reports whether the tree is the same for both inputs: no other has to be read.
func (v survey) still() bool {
	root, err := v.source.Tree.Digest(".")
	other, e := v.after.Tree.Digest(".")
	return err == nil && e == nil && root == other
}

// anchored reports whether the tree has no address that is not steady, from memory
// where it was looked through before.
func (v survey) anchored() bool {
	digest, err := v.source.Tree.Digest(".")
	if err != nil {
		return false
	}
	known := v.addresses
	known.mu.Lock()
	defer known.mu.Unlock()
	if anchored, ok := known.anchored.Get(digest); ok {
		return anchored
	}
	anchored := v.scan() == nil
	if v.ctx.Err() == nil {
		known.anchored.Put(digest, anchored, int64(len(digest)+perTree))
	}
	return anchored
}

// scan looks for an address that is not steady in each file that a render may read. The
// limits of a render do not hold for it: they say nothing of addresses. A file that
// cannot be read may have one.
func (v survey) scan() error {
	tree, left := v.source.Tree.Unrecorded(), int64(maxScanned)
	return fs.WalkDir(walk.Over(v.ctx, tree), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && aside(name):
			return fs.SkipDir
		case !e.Type().IsRegular() || unheeded(e.Name()):
			return nil
		}
		info, err := tree.Stat(name)
		if err != nil {
			return err
		}
		if left -= info.Size(); left < 0 || info.Size() > maxScannedFile {
			return errUnscanned
		}
		return v.scanFile(name)
	})
}

func (v survey) scanFile(name string) error {
	file, err := v.opened(name)
	if err != nil {
		return err
	}
	if text, ok := textOf(file); ok && v.mentions(text) {
		return errMoves
	}
	return nil
}

// opened is a file as a render reads it, and as it is where no key opens it.
func (v survey) opened(name string) ([]byte, error) {
	file, err := v.source.Tree.Unrecorded().ReadFile(name)
	if err != nil {
		return nil, err
	}
	if plain, _, err := v.decrypt.Decrypt(v.ctx, name, file); err == nil {
		return plain, nil
	}
	return file, v.ctx.Err()
}

// mostLooked is where Git, too, stops looking for what makes a file binary, in bytes.
const mostLooked = 8000

// textOf is the text of a file; false for a binary one. Of the two bytes that UTF-16
// has for a letter of an address, one is zero.
func textOf(file []byte) ([]byte, bool) {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if rest, ok := bytes.CutPrefix(file, []byte(mark)); ok {
			return bytes.ReplaceAll(rest, []byte{0}, nil), true
		}
	}
	return file, bytes.IndexByte(file[:min(len(file), mostLooked)], 0) < 0
}

// mentions reports whether a file has an address that is not steady: as a value or key
// of YAML, which may be written in many ways, or as a word of one or of any text.
func (v survey) mentions(file []byte) bool {
	return slices.ContainsFunc(document.Split(file), func(part document.Part) bool {
		var value any
		if bounded.Unmarshal(part.Text, &value) != nil {
			value = string(part.Text)
		}
		return v.hints(value)
	})
}

// assigned is how an address without a scheme is given to something in one word:
// --from=github.com/acme/base.
var assigned = regexp.MustCompile(`(?i)=git`)

// hints reports whether a value has an address that is not steady for those who read
// it in ways that nobody follows.
func (v survey) hints(value any) bool {
	return slices.ContainsFunc(slices.Concat(texts(value), keysOf(value)), func(text string) bool {
		if v.elsewhere(text) {
			return true
		}
		for word := range strings.FieldsFuncSeq(text, betweenWords) {
			if (isAddress(word) || assigned.MatchString(word)) && !v.steady(word) {
				return true
			}
		}
		return false
	})
}

func betweenWords(c rune) bool {
	return unicode.IsSpace(c) || strings.ContainsRune("\"'`()<>[]{},;|", c)
}
