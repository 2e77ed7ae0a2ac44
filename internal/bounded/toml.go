package bounded

import "bytes"

const (
	// MostPaths are the bytes that the keys of one text of TOML may take, each
	// written out with all that stands above it: that is what its parser keeps.
	MostPaths = 32 << 20
	// MostNested are lists and tables of TOML inside one another.
	MostNested = 1000

	bytesPerPart = 32  // of a key
	bytesPerKey  = 800 // besides its path
	bytesPerTOML = 200 // of any value
)

// CheckTOML reports whether a text of TOML may be parsed, and about how many bytes
// it becomes. Its parser makes a key of each part of a key, and writes each with
// the keys above it: "a.a.a" takes memory by the square.
func CheckTOML(text []byte) (int64, error) {
	t := scan{text: text, in: []table{{}}}
	for t.at < len(t.text) {
		if err := t.next(); err != nil {
			return 0, err
		}
	}
	t.line() // a header may be the last one
	return t.weight(), t.check()
}

// scan goes over a text as its parser does, up to where that finds an error.
type scan struct {
	text []byte
	at   int

	values, keys int
	paths        int64
	// in are the top and what is open at this place.
	in []table
	// key is what was read since the last separator.
	key path
	// header: the line is the name of a table; assigned: it has had its "=".
	header, assigned bool
}

// table is a list or a table: the path of its keys, and of its latest one.
type table struct{ base, last path }

// path is a key with those above it.
type path struct{ bytes, dots int }

func (p path) under(above path) path { return path{p.bytes + above.bytes, p.dots + above.dots + 1} }

func (p path) size() int64 { return int64(p.bytes + bytesPerPart*(p.dots+1)) }

func (t *scan) next() error {
	c := t.text[t.at]
	t.at++
	switch c {
	case '"', '\'':
		t.key.bytes += t.quoted(c)
	case '#':
		t.skip(bytes.IndexByte(t.text[t.at:], '\n'))
	case '\n':
		t.line()
	case '.':
		t.key.dots++
	case ',':
		t.values++
		t.key = path{}
	case '=':
		t.assign()
	case '[', '{':
		return t.open(c)
	case ']', '}':
		if len(t.in) > 1 {
			t.in = t.in[:len(t.in)-1]
		}
	default:
		t.key.bytes++
	}
	return nil
}

// line ends one. The name of a table is the path of all that follows.
func (t *scan) line() {
	if t.header {
		t.take(t.key, t.key)
		t.in[0] = table{t.key, t.key}
	}
	t.key, t.header = path{}, false
	t.assigned = t.assigned && len(t.in) > 1
}

func (t *scan) assign() {
	in := &t.in[len(t.in)-1]
	in.last = t.key.under(in.base)
	t.take(t.key, in.last)
	t.key, t.assigned = path{}, true
}

// take counts a key: each of its own parts is written out.
func (t *scan) take(own, whole path) {
	t.keys++
	t.paths += int64(own.dots+1) * whole.size()
}

func (t *scan) open(c byte) error {
	t.values++
	if len(t.in) == 1 && !t.assigned {
		t.header = true
		return nil
	}
	if len(t.in) > MostNested {
		return &TooMuch{Most: MostNested, What: "lists and tables inside one another"}
	}
	in := t.in[len(t.in)-1]
	if c == '{' {
		in.base = in.last
		t.key = path{}
	}
	t.in = append(t.in, in)
	return t.check() // often enough, and there where it costs little
}

// quoted skips a text, and tells how long it was.
func (t *scan) quoted(sign byte) int {
	from := t.at
	end := []byte{sign}
	if three := bytes.Repeat(end, 3); bytes.HasPrefix(t.text[t.at-1:], three) {
		end = three
		t.at += 2
	}
	for t.at < len(t.text) && !bytes.HasPrefix(t.text[t.at:], end) {
		if t.text[t.at] == '\\' && sign == '"' {
			t.at++
		}
		t.at++
	}
	t.at += len(end)
	for extra := 0; len(end) > 1 && extra < 2 && t.at < len(t.text) && t.text[t.at] == sign; extra++ {
		t.at++ // a text may end with the sign itself
	}
	return t.at - from
}

// skip goes on by so many bytes; to the end by less than none.
func (t *scan) skip(n int) {
	if n < 0 {
		n = len(t.text) - t.at
	}
	t.at += n
}

func (t *scan) weight() int64 {
	return t.paths + int64(t.keys)*bytesPerKey + int64(t.values)*bytesPerTOML
}

func (t *scan) check() error {
	if t.keys+t.values > MostValues {
		return &TooMuch{Most: MostValues, What: values}
	}
	if t.paths > MostPaths {
		return &TooMuch{Most: MostPaths, What: "bytes of keys, each with the tables that it is in"}
	}
	return nil
}
