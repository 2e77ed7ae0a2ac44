package proxy

import (
	"bytes"
	"io/fs"
)

// perEntry is what an entry of a list takes beside its name, in bytes.
const perEntry = 2

// The kinds of entries in a list. What is none of these is a file whose mode Stat
// tells.
var kindsOf = map[byte]fs.FileMode{'d': fs.ModeDir, 'l': fs.ModeSymlink, 'f': 0, 'i': fs.ModeIrregular}

func kindOf(mode fs.FileMode) byte {
	for kind, bits := range kindsOf {
		if mode.Type() == bits {
			return kind
		}
	}
	return 'i'
}

// writeList writes each entry as its kind, its name and a zero, which no name has.
func writeList(found []fs.DirEntry, size int) []byte {
	out := make([]byte, 0, size)
	for _, e := range found {
		out = append(out, kindOf(e.Type()))
		out = append(out, e.Name()...)
		out = append(out, 0)
	}
	return out
}

// readList reads what writeList wrote; ok is false for anything else.
func readList(text []byte) (out []entry, ok bool) {
	out = make([]entry, 0, bytes.Count(text, []byte{0}))
	for len(text) > 0 {
		bits, known := kindsOf[text[0]]
		name, rest, whole := bytes.Cut(text[1:], []byte{0})
		if !known || !whole || len(name) == 0 {
			return nil, false
		}
		out = append(out, entry{Base: string(name), Bits: bits})
		text = rest
	}
	return out, true
}
