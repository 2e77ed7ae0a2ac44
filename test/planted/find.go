package planted

import (
	"bytes"
	"fmt"
	"slices"
)

// Found is a secret that somebody wrote.
type Found struct {
	Input, Form, Around string
}

// String tells of it.
func (f Found) String() string {
	return fmt.Sprintf("the secret of %s, %s: …%s…", f.Input, f.Form, f.Around)
}

// Find looks for all secrets, also in what is compressed.
func (b *Bed) Find(data []byte) []Found {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.find(data)
	for _, more := range unpacked(data) {
		out = append(out, b.find(more)...)
	}
	return out
}

func (b *Bed) find(data []byte) []Found {
	begins := b.begins()
	var out []Found
	for i := 0; i+least <= len(data); i++ {
		if !begins[data[i]] {
			continue
		}
		for _, f := range b.forms[[least]byte(data[i:i+least])] {
			if bytes.HasPrefix(data[i:], f.text) && !slices.ContainsFunc(out, func(o Found) bool { return o.Input == f.of.input && o.Form == f.name }) {
				out = append(out, Found{f.of.input, f.name, around(data, i, len(f.text))})
			}
		}
	}
	return out
}

// begins are the bytes with which what is looked for begins.
func (b *Bed) begins() (out [256]bool) {
	for start := range b.forms {
		out[start[0]] = true
	}
	return out
}

func around(data []byte, at, length int) string {
	const before, after = 160, 40
	return fmt.Sprintf("%q", data[max(0, at-before):min(len(data), at+length+after)])
}
