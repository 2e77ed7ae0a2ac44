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

// shape is what the mappings of a text have.
type shape struct {
	// squares is the sum of the squares of the numbers of their keys.
	squares int
	// first and second are the same key of one mapping.
	first, second *yaml.Node
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
		n := content[i]
		k := key{n.Kind, n.Value}
		if before := seen[k]; before != nil && s.second == nil {
			s.first, s.second = before, n
		}
		seen[k] = n
	}
	n := len(content) / 2 //nolint:mnd // as above
	s.squares += n * n
}

// maxSearched bounds the bytes of files that are searched for what an error is about,
// mostSearched those of one.
const (
	maxSearched  = 16 << 20
	mostSearched = 4 << 20
)

// repeated finds the first key that stands twice in a mapping of what is
// listed: the library tells it of a text that nobody wrote.
func (d *disk) repeated() *gitops.Problem {
	left := maxSearched
	for _, l := range d.listings {
		text, err := d.read(l.full)
		if left -= len(text); left < 0 {
			return nil
		}
		if err != nil || len(text) > mostSearched || bounded.Values(text) > bounded.MostValues {
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
