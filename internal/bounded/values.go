package bounded

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// A text of YAML or JSON becomes far more than it is: three bytes of "{},"
// take 200 to 700 bytes as a value, by the way it is read. So a text is looked
// through before it is parsed, for no more than a few percent of what parsing
// costs.
const (
	// MostValues are those of one text that is parsed: it then takes less than
	// 256 MiB, whatever the signs are.
	MostValues = 400_000
	// MostRepeated are the bytes that a text may have where each alias stands
	// for what it repeats.
	MostRepeated = 32 << 20
	// PerValue is about what a value holds that was read, in bytes.
	PerValue = 200
	// bytesPerValue are as much of a budget as a value, where aliases repeat texts.
	bytesPerValue = 100
)

// TooMuch is a text, or several together, that would become more than is read.
type TooMuch struct {
	// Most is the bound, What it counts.
	Most int
	What string
	// Together tells that it is about more than one text.
	Together bool
}

// Error tells the bound and what to do.
func (e *TooMuch) Error() string {
	if e.Together {
		return fmt.Sprintf("all texts together have more than %d %s: have it read fewer or smaller files, or split it", e.Most, e.What)
	}
	return fmt.Sprintf("it has more than %d %s: split it, or keep large data in one text instead of as lists and mappings", e.Most, e.What)
}

const values = "values"

// signs are the bytes that begin a value. Those of 2 do where something ends
// after them.
var signs = [256]uint8{',': 1, '[': 1, '{': 1, ':': 1, '?': 1, '-': 2}

// Values is about the number of values that a text of YAML or JSON becomes, and
// no less than a third of it: signs inside of texts count as well.
func Values(text []byte) int {
	n := 1
	for i, c := range text {
		switch signs[c] {
		case 0:
		case 1:
			n++
		default:
			if i+1 == len(text) || text[i+1] <= ' ' || text[i+1] >= 0x80 { // other line ends are no ASCII
				n++
			}
		}
	}
	return n
}

// Check reports whether one text of YAML or JSON may be parsed, and about how
// many values it becomes.
func Check(text []byte) (int, error) { return CheckUpTo(text, MostValues) }

// CheckUpTo is Check with another bound.
func CheckUpTo(text []byte, most int) (int, error) {
	n := Values(text)
	if n > most {
		return n, &TooMuch{Most: most, What: values}
	}
	if !Repeats(text) && !MayBeDeeper(text, MostDepth) && bytes.IndexByte(text, 0) < 0 { // in other encodings signs stand apart
		return n, nil
	}
	repeated, err := repeated(text, most)
	return max(n, repeated), err
}

// Unmarshal reads a text of YAML or JSON that may be read.
func Unmarshal(text []byte, into any) error {
	if _, err := Check(text); err != nil {
		return err
	}
	return yaml.Unmarshal(text, into)
}

// UnmarshalStrict is Unmarshal that knows all fields, each once, and reads a text
// of one document.
func UnmarshalStrict(text []byte, into any) error {
	if _, err := Check(text); err != nil {
		return err
	}
	if err := Alone(text); err != nil {
		return err
	}
	return yaml.UnmarshalStrict(text, into)
}

// ToJSON writes a text of YAML that may be read as JSON.
func ToJSON(text []byte) ([]byte, error) {
	if _, err := Check(text); err != nil {
		return nil, err
	}
	return yaml.YAMLToJSON(text)
}

// Repeats reports whether a text may use parts of it again by YAML's anchors
// and aliases. It may say so of one that does not.
func Repeats(text []byte) bool { return begins(text, '&') && begins(text, '*') }

// before are the bytes after which a node may begin: space, the signs of
// collections, and the last ones of YAML's other line breaks.
var before = []byte(" \t\r\n[{,:-?\x85\xa8\xa9\xbf")

// begins reports whether something begins with a sign, as a node does.
func begins(text []byte, sign byte) bool {
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], sign)
		if i < 0 {
			return false
		}
		at += i + 1
		may := at < 2 || bytes.IndexByte(before, text[at-2]) >= 0
		if may && at < len(text) && strings.IndexByte(" \t\r\n", text[at]) < 0 {
			return true
		}
	}
}

// repeated counts the values of a text in which each alias is what it stands
// for, without making them, and refuses what is too deep.
func repeated(text []byte, most int) (int, error) {
	w := weigher{known: map[*yamlv3.Node]weight{}, most: most}
	all := weight{}
	for in := yamlv3.NewDecoder(bytes.NewReader(text)); ; {
		var doc yamlv3.Node
		err := in.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return all.values + all.bytes/bytesPerValue, nil
		}
		if err != nil {
			return 0, brief(err)
		}
		one, err := w.node(&doc)
		if err != nil {
			return 0, err
		}
		if all = all.and(one); all.over(most) {
			return 0, all.tooMuch(most)
		}
	}
}

// weight is what a node becomes, and how many nodes lie in one another there.
type weight struct{ values, bytes, depth int }

// and is what two nodes beside one another become.
func (w weight) and(o weight) weight {
	return weight{w.values + o.values, w.bytes + o.bytes, max(w.depth, o.depth)}
}

func (w weight) over(most int) bool {
	return w.values > most || w.bytes > MostRepeated || w.depth > mostNodes
}

// mostNodes are those that lie in one another where there are MostDepth lists and
// mappings: a document is one, and what the deepest one holds.
const mostNodes = MostDepth + 2

func (w weight) tooMuch(most int) error {
	switch {
	case w.depth > mostNodes:
		return &TooMuch{Most: MostDepth, What: "lists and mappings in one another"}
	case w.values > most:
		return &TooMuch{Most: most, What: "values, with what its aliases repeat"}
	}
	return &TooMuch{Most: MostRepeated, What: "bytes, with what its aliases repeat"}
}

type weigher struct {
	// known are the anchors that were weighed; one that is being weighed has
	// no weight yet.
	known map[*yamlv3.Node]weight
	most  int
}

var errItself = errors.New("an anchor holds an alias of itself")

func (w *weigher) node(n *yamlv3.Node) (weight, error) {
	if n.Kind == yamlv3.AliasNode {
		return w.alias(n.Alias)
	}
	if n.Anchor != "" {
		w.known[n] = weight{}
	}
	out := weight{values: 1, bytes: len(n.Value) + 1, depth: 1}
	for _, below := range n.Content {
		one, err := w.node(below)
		if err != nil {
			return out, err
		}
		one.depth++
		if out = out.and(one); out.over(w.most) {
			return out, out.tooMuch(w.most)
		}
	}
	if n.Anchor != "" {
		w.known[n] = out
	}
	return out, nil
}

// alias is what an anchor has, which stands before it.
func (w *weigher) alias(n *yamlv3.Node) (weight, error) {
	out := w.known[n]
	if out.values == 0 {
		return out, errItself
	}
	return out, nil
}

// Budget bounds the values of several texts together, or their bytes. It is
// safe for concurrent use; a nil one has no bound.
type Budget struct {
	most int
	what string

	mu   sync.Mutex
	used int
}

// NewBudget is for so many values.
func NewBudget(most int) *Budget { return &Budget{most: most, what: values} }

// NewBytes is for so many bytes of texts, and of what is made of them.
func NewBytes(most int64) *Budget {
	return &Budget{most: int(min(most, math.MaxInt)), what: "bytes"}
}

// NewFiles is for so many files that are read.
func NewFiles(most int) *Budget { return &Budget{most: most, what: "files"} }

// Again is a Budget of the same size that nothing was taken of.
func (b *Budget) Again() *Budget {
	if b == nil {
		return nil
	}
	return &Budget{most: b.most, what: b.what}
}

// Take takes up the values of one text, or its bytes.
func (b *Budget) Take(n int) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used += n; b.used > b.most {
		return &TooMuch{Most: b.most, What: b.what, Together: true}
	}
	return nil
}

// Check is Check for a text of several.
func (b *Budget) Check(text []byte) error {
	n, err := Check(text)
	if err != nil {
		return err
	}
	return b.Take(n)
}
