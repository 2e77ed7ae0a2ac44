package render

import (
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/walk"
)

// settled notes the tree as a whole, for what is read of it in ways that nobody
// follows, and reports whether no address in it may lead to something else.
func (v survey) settled() bool {
	return v.whole() && (v.closed || v.moves != nil && v.still() && v.anchored())
}

// still reports whether the tree is the same for both inputs: no other has to be read.
func (v survey) still() bool {
	root, err := v.source.Tree.Digest(".")
	other, e := v.after.Tree.Digest(".")
	return err == nil && e == nil && root == other
}

// anchored reports whether no file of the tree, as a render reads it, has an address
// that is not steady. A file that cannot be read may have one.
func (v survey) anchored() bool {
	tree := v.source.Tree
	err := fs.WalkDir(walk.Over(v.ctx, tree.Unrecorded()), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := tree.ReadFile(name)
		if err == nil && v.mentions(text) {
			err = errMoves
		}
		return err
	})
	return err == nil
}

// mentions reports whether a file has an address that is not steady: as a value of
// YAML, which may be written in many ways, or as a word of a value or of any text.
func (v survey) mentions(file []byte) bool {
	return slices.ContainsFunc(document.Split(file), func(part document.Part) bool {
		var value any
		if bounded.Unmarshal(part.Text, &value) != nil {
			value = string(part.Text)
		}
		return slices.ContainsFunc(texts(value), func(text string) bool {
			return v.elsewhere(text) || slices.ContainsFunc(strings.FieldsFunc(text, betweenWords), func(word string) bool { return v.elsewhere(word) })
		})
	})
}

func betweenWords(c rune) bool {
	return unicode.IsSpace(c) || strings.ContainsRune("\"'`()<>[]{},;|", c)
}
