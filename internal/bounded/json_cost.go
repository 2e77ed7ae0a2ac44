package bounded

import "bytes"

// Cost is what the parts of a text of JSON take in memory, in bytes, by what it
// is read into. A list grows by being copied, so an element takes more than
// twice its size.
type Cost struct {
	Element int // of a list, whatever it is: one of a wrong type takes its place as well
	Object  int // that is not empty
	Member  int // of an object
}

// Maps is the cost of JSON that is read into maps and lists. An object of a
// megabyte and a half, which is as much as etcd takes, has 120 MiB at most.
var Maps = Cost{Element: 100, Object: 250, Member: 100}

const (
	// perByte is for the text itself, and for the texts that are taken out of it.
	perByte = 2
	// maxOpen is how deep parsers of JSON go.
	maxOpen = 10_000
)

// Meter adds up what a text of JSON takes when it is read, while it passes in
// pieces. Parsers end where a text is no JSON: what is measured after that does
// not matter.
type Meter struct {
	cost    Cost
	objects []bool // what is open: objects, or lists
	fresh   bool   // nothing is in what was opened last
	quoted  bool
	escaped bool
	ended   bool

	read, parts int64 // bytes of the value so far, and what its parts take
}

// NewMeter measures a text that is read at a cost.
func NewMeter(c Cost) *Meter { return &Meter{cost: c} }

// Measured is what a text of JSON takes, in bytes.
func Measured(text []byte, c Cost) int64 {
	m := NewMeter(c)
	for len(text) > 0 {
		text = text[m.Value(text):]
	}
	return m.Takes()
}

// Takes is what has passed takes, in bytes.
func (m *Meter) Takes() int64 { return m.parts + perByte*m.read }

// Bytes are those that have passed.
func (m *Meter) Bytes() int64 { return m.read }

// TooDeep tells what no parser reads.
func (m *Meter) TooDeep() bool { return len(m.objects) > maxOpen }

// Ended reports whether what was measured last ends a list or object that is in no other.
func (m *Meter) Ended() bool { return m.ended }

// Begin measures the next value of a stream.
func (m *Meter) Begin() { m.read, m.parts = 0, 0 }

// Value measures a piece up to the end of the list or object that all of it is
// in, and tells how many bytes that are.
func (m *Meter) Value(piece []byte) int {
	n := 0
	m.ended = false
	for n < len(piece) && !m.TooDeep() {
		if m.quoted {
			n += m.text(piece[n:])
			continue
		}
		c := piece[n]
		n++
		if c <= ' ' {
			continue
		}
		if c != '}' && c != ']' {
			m.part(c)
		} else if m.ended = m.end(); m.ended {
			break
		}
	}
	if m.TooDeep() {
		n = len(piece)
	}
	m.read += int64(n)
	return n
}

// text passes what is between quotes.
func (m *Meter) text(piece []byte) int {
	if m.escaped {
		m.escaped = false
		return 1
	}
	n := bytes.IndexAny(piece, "\"\\")
	if n < 0 {
		return len(piece)
	}
	m.escaped, m.quoted = piece[n] == '\\', piece[n] == '\\'
	return n + 1
}

// part takes a sign that is not between quotes, and ends nothing.
func (m *Meter) part(c byte) {
	if m.fresh {
		m.fresh = false
		m.next(true)
	}
	switch c {
	case '"':
		m.quoted = true
	case '{', '[':
		m.objects, m.fresh = append(m.objects, c == '{'), true
	case ',':
		m.next(false)
	}
}

// next charges an element or a member.
func (m *Meter) next(first bool) {
	switch at := len(m.objects) - 1; {
	case at < 0:
	case !m.objects[at]:
		m.parts += int64(m.cost.Element)
	case first:
		m.parts += int64(m.cost.Object + m.cost.Member)
	default:
		m.parts += int64(m.cost.Member)
	}
}

// end closes a list or object, and reports whether it was in no other.
func (m *Meter) end() bool {
	m.fresh = false
	if len(m.objects) > 0 {
		m.objects = m.objects[:len(m.objects)-1]
	}
	return len(m.objects) == 0
}
