package bounded

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
)

// yaml.v3 makes values of a mapping by the square of its keys: it holds each
// against each other one, and makes a text of each two that are equal. Making
// nodes of a text is free of that, so what they would take is counted on them.
const (
	// mostKeys are those of one mapping.
	mostKeys = 5_000
	// mostPairs are all pairs of keys that are held against one another: less than
	// a tenth of a second.
	mostPairs = mostKeys * mostKeys / 2
	// mostAgain are the bytes of the texts about keys that are equal.
	mostAgain = 64 << 10
	// perPair is about what such a text has besides the key.
	perPair = 64
)

// Decode reads the first document of a text of YAML that may be read, as
// yaml.v3 does. Where there is none, nothing is changed.
func Decode(text []byte, into any) error { return DecodeUpTo(text, MostValues, into) }

// DecodeUpTo is Decode with another bound of values.
func DecodeUpTo(text []byte, most int, into any) error {
	doc, err := tree(text, most)
	if err != nil || doc.IsZero() {
		return err
	}
	return brief(doc.Decode(into))
}

// DecodeStrict is Decode that knows all fields, and reads a text of one document.
func DecodeStrict(text []byte, into any) error {
	doc, err := tree(text, MostValues)
	if err != nil {
		return err
	}
	if err := Alone(text); err != nil || doc.IsZero() {
		return err
	}
	in := yamlv3.NewDecoder(bytes.NewReader(text)) // nodes cannot be read strictly
	in.KnownFields(true)
	return brief(in.Decode(into))
}

// Alone refuses a text with something behind its first document, which nobody
// would read. Ends may be marked. What no document begins is left to who reads it.
func Alone(text []byte) error {
	in := yamlv3.NewDecoder(bytes.NewReader(text))
	if in.Decode(&yamlv3.Node{}) != nil {
		return nil //nolint:nilerr // told by who reads it
	}
	for {
		more := &yamlv3.Node{}
		switch err := in.Decode(more); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("what follows its first document cannot be read (%s): have all of it in one document", strings.TrimPrefix(line(err.Error()), "yaml: "))
		case !isNothing(more):
			return fmt.Errorf("line %d: another document begins, and one is read: have all of it in one document", more.Content[0].Line)
		}
	}
}

func isNothing(document *yamlv3.Node) bool {
	return len(document.Content) == 0 || document.Content[0].Tag == "!!null"
}

// DecodeNode reads a part of a text that was checked.
func DecodeNode(n *yamlv3.Node, into any) error {
	if err := countKeys(n); err != nil {
		return err
	}
	return brief(n.Decode(into))
}

func tree(text []byte, most int) (*yamlv3.Node, error) {
	if _, err := CheckUpTo(text, most); err != nil {
		return nil, err
	}
	doc := &yamlv3.Node{}
	if err := yamlv3.Unmarshal(text, doc); err != nil {
		return nil, brief(err)
	}
	return doc, countKeys(doc)
}

func countKeys(n *yamlv3.Node) error {
	_, err := (&keys{known: map[*yamlv3.Node]compared{}}).node(n)
	return err
}

// compared is what holding keys against one another takes. What is the same
// twice is left to the decoder to refuse, which does so where it looks.
type compared struct{ pairs, again int }

func (c compared) and(o compared) compared { return compared{c.pairs + o.pairs, c.again + o.again} }

type keys struct {
	// known are the anchors that were counted; one that is being counted has no
	// pairs yet, not even none.
	known map[*yamlv3.Node]compared
	// twice is a key that is there already, first where.
	twice *yamlv3.Node
	first int
}

var counting = compared{pairs: -1}

func (k *keys) node(n *yamlv3.Node) (compared, error) {
	if n.Kind == yamlv3.AliasNode {
		return k.alias(n.Alias)
	}
	if n.Anchor != "" {
		k.known[n] = counting
	}
	all, err := k.mapping(n)
	if err != nil {
		return all, err
	}
	for _, below := range n.Content {
		one, err := k.node(below)
		if err != nil {
			return all, err
		}
		if all = all.and(one); all.pairs > mostPairs || all.again > mostAgain {
			return all, k.tooMuch(all)
		}
	}
	if n.Anchor != "" {
		k.known[n] = all
	}
	return all, nil
}

// alias may stand in a part of a text for what is in another part.
func (k *keys) alias(n *yamlv3.Node) (compared, error) {
	c, ok := k.known[n]
	if !ok {
		return k.node(n)
	}
	if c == counting {
		return c, errItself
	}
	return c, nil
}

// key is what yaml.v3 compares of one.
type key struct {
	kind  yamlv3.Kind
	value string
}

type seen struct{ times, line int }

// mapping counts the keys of a node itself; other nodes have none.
func (k *keys) mapping(n *yamlv3.Node) (compared, error) {
	many := len(n.Content) / 2
	if n.Kind != yamlv3.MappingNode || many < 2 {
		return compared{}, nil
	}
	if many > mostKeys {
		return compared{}, fmt.Errorf("line %d: a mapping has more than %d keys: split it, or keep large data in one text", n.Line, mostKeys)
	}
	c := compared{pairs: many * (many - 1) / 2} //nolint:mnd // each pair once
	all := make(map[key]seen, many)
	for i := 0; i+1 < len(n.Content); i += 2 {
		at := n.Content[i]
		of := key{at.Kind, at.Value}
		before := all[of]
		if before.times == 0 {
			before.line = at.Line
		} else {
			c.again += before.times * (len(at.Value) + perPair)
			k.twice, k.first = at, before.line
		}
		all[of] = seen{before.times + 1, before.line}
	}
	if c.again > mostAgain {
		return c, k.tooMuch(c)
	}
	return c, nil
}

func (k *keys) tooMuch(c compared) error {
	if c.again > mostAgain {
		return fmt.Errorf("line %d: the key %.40q stands in its mapping already, first at line %d: write each key once", k.twice.Line, k.twice.Value, k.first)
	}
	return &TooMuch{Most: mostPairs, What: "pairs of keys in its mappings, with what its aliases repeat"}
}

const (
	// mostTold bounds what is told of a text that cannot be read, in lines and
	// in characters: the library repeats much of it.
	mostTold = 20
	longest  = 300
)

// brief shortens what the library tells of a text.
func brief(err error) error {
	var typed *yamlv3.TypeError
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &typed):
		return &yamlv3.TypeError{Errors: briefly(typed.Errors)}
	}
	if text := err.Error(); line(text) != text {
		return errors.New(line(text))
	}
	return err
}

// line is the beginning of a text.
func line(text string) string {
	few := fmt.Sprintf("%.*s", longest, text)
	if few == text {
		return text
	}
	return few + "…"
}

func briefly(all []string) []string {
	few := make([]string, 0, mostTold+1)
	for i, text := range all {
		if i == mostTold {
			return append(few, fmt.Sprintf("and %d more", len(all)-i))
		}
		few = append(few, line(text))
	}
	return few
}
