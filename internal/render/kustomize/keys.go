package kustomize

import (
	"bytes"
	"errors"
	"io"
	"regexp"

	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	manyKeys = "it has mappings with many keys"
	// fewKeys are so few that nothing is bounded among them, not even the text
	// that the library writes of each pair of the same key.
	fewKeys = 200
)

// keys are those of the mappings of a build. The library compares each key of
// a mapping with all others: when it reads one, and when it sets one.
type keys struct {
	// one are those of the mapping that has most, of all files of objects, and
	// squares the sum of their squares.
	one, squares int
	// made are those of generated ConfigMaps and Secrets; own may be added by
	// patches that name their objects, all to each object.
	made, own, all int
}

// widest is no less than any mapping has in the end.
func (k keys) widest() int { return k.one + k.made + k.own + k.all }

// perSet is what one key that is set costs, in keys that are compared when a
// mapping is read.
const perSet = 20

// pairs is no less than those that are compared: all mappings are read in the
// end, and for each patch.
func (k keys) pairs(objects, patches int) int {
	set := k.made*k.made + k.own*k.own + objects*k.all*k.all
	return perSet*set + (1+patches)*(k.squares+set)
}

// mappings takes up the mappings of a text, and says why it is not plain.
func (s *sum) mappings(text []byte) string {
	n := breaks(text) + 1
	found := shape{widest: n, squares: n * n}
	if n > fewKeys {
		var err error
		if found, err = shapeOf(text); err != nil {
			return "a file cannot be read"
		}
	}
	switch {
	case found.second != nil:
		return "a key stands twice in a mapping"
	case found.told:
		return "it tells much of where an object comes from"
	}
	s.keys.one, s.keys.squares = max(s.keys.one, found.widest), s.keys.squares+found.squares
	return s.odd()
}

// breaks is no less than the keys of a text but for one, nor than those in any
// text in it: what stands between two keys has one of these signs.
func breaks(text []byte) int {
	n := 0
	for _, c := range text {
		switch c {
		case '\n', '\r', ',', '\\', 0x85, 0xa8, 0xa9: // the last ones end YAML's other line breaks
			n++
		}
	}
	return n
}

// shape is what the mappings of a text have.
type shape struct {
	// widest are the keys of the mapping that has most, squares is the sum of
	// the squares of all.
	widest, squares int
	// first and second are the same key of one mapping.
	first, second *yaml.Node
	// told: an object says much of where it comes from, and the library reads that.
	told bool
}

// separator is a line between documents to the library, but for the line's end,
// and plain one where YAML sees nothing else in it.
var (
	separator = regexp.MustCompile(`\n---[^\n]*`)
	plainOne  = regexp.MustCompile(`^\n---[ \t]*(?:[ \t]#[\t -~]*)?\r?$`)
)

var errDivided = errors.New("a line may begin a document, or be a part of one")

// shapeOf reads a text, but makes no values of it.
func shapeOf(text []byte) (shape, error) {
	var s shape
	for _, line := range separator.FindAll(text, -1) {
		if !plainOne.Match(line) {
			return s, errDivided
		}
	}
	for in := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var doc yaml.Node
		if err := in.Decode(&doc); errors.Is(err, io.EOF) {
			return s, nil
		} else if err != nil {
			return s, err
		}
		s.node(&doc)
	}
}

func (s *shape) node(n *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		s.mapping(n.Content)
	}
	for _, below := range n.Content {
		s.node(below)
	}
}

// mapping takes up keys and values, one after the other. Keys are the same to
// the library where their kinds and texts are.
func (s *shape) mapping(content []*yaml.Node) {
	type key struct {
		kind yaml.Kind
		text string
	}
	seen := make(map[key]*yaml.Node, len(content)/2) //nolint:mnd // each has a value
	for i := 0; i+1 < len(content); i += 2 {
		n, value := content[i], content[i+1]
		k := key{n.Kind, n.Value}
		if before := seen[k]; before != nil && s.second == nil {
			s.first, s.second = before, n
		}
		seen[k] = n
		if n.Value == originAnnotation || n.Value == transformationAnnotation {
			s.told = s.told || breaks([]byte(value.Value)) >= fewKeys
		}
	}
	n := len(content) / 2 //nolint:mnd // as above
	s.widest, s.squares = max(s.widest, n), s.squares+n*n
}

// maxSearched bounds the bytes of files that are searched for what an error is about.
const maxSearched = 16 << 20

// repeated finds the first key that stands twice in a mapping of what is
// listed: the library tells it of a text that nobody wrote.
func (d *disk) repeated() *gitops.Problem {
	left := maxSearched
	for _, l := range d.listings {
		text, err := d.read(l.full)
		if left -= len(text); left < 0 {
			return nil
		}
		if err != nil || len(text) > plainBytes || bounded.Values(text) > plainValues {
			continue
		}
		found, _ := shapeOf(text) // what is before an error counts
		if at := found.second; at != nil {
			return gitops.Problemf(gitops.Invalid, "cannot build the kustomization: key %.40q stands twice in one mapping, in lines %d and %d of its file", at.Value, found.first.Line, at.Line).
				At(d.where(l.full, at.Line)).Do("take one of the two out")
		}
	}
	return nil
}
