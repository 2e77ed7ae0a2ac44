package proxy

import (
	"bytes"
	"context"
	"path"
)

const (
	// maxForetold bounds the entries of a folder, and of those in it, that are given
	// before they are asked for, and foretoldBytes their names and files: a message
	// takes as long as many of these.
	maxForetold   = 64
	foretoldBytes = 256 << 10
)

// foretelling is what is given with a task.
type foretelling struct {
	host   *Host
	ctx    context.Context //nolint:containedctx // lives for one call
	number int
	known  []Known
	texts  []byte
	// left are the bytes that may be added.
	left int
}

// Foretell are the answers about a folder of a snapshot and all that is in it, where
// that is little, and about names that may be in it; the texts of files follow one
// another.
func (h *Host) Foretell(ctx context.Context, number int, dir string, names []string) (known []Known, texts []byte) {
	f := &foretelling{host: h, ctx: ctx, number: number, left: foretoldBytes}
	f.tell(opDigest, ".")
	f.tell(opDigest, dir)
	f.tell(opStat, dir)
	for _, name := range names {
		f.tell(opStat, path.Join(dir, name))
	}
	if all, ok := f.little(dir); ok {
		for _, name := range all {
			f.tell(opStat, name)
		}
	}
	if number < len(h.snapshots) {
		h.reads(h.snapshots[number], dir) // of what is in it nobody knows what was read
	}
	return f.known, f.texts
}

// tell keeps an answer.
func (f *foretelling) tell(what op, name string) {
	c := Call{Op: what, Tree: f.number, Name: name}
	r, text := f.host.Answer(f.ctx, c)
	f.keep(c, r, text)
}

// keep reports whether there is room for an answer.
func (f *foretelling) keep(c Call, r Reply, text []byte) bool {
	if f.left -= len(text) + len(c.Name); f.left < 0 {
		return false
	}
	f.known, f.texts = append(f.known, Known{c, r, len(text)}), append(f.texts, text...)
	return true
}

// little lists what is in a folder, and tells the lists, unless it is much.
func (f *foretelling) little(dir string) (names []string, ok bool) {
	var files []string
	todo := []string{dir}
	for len(todo) > 0 {
		c := Call{Op: opReadDir, Tree: f.number, Name: todo[0]}
		todo = todo[1:]
		r, text := f.host.Answer(f.ctx, c)
		if r.Failure != nil || bytes.Count(text, []byte{0})+len(names)+len(files) > maxForetold || !f.keep(c, r, text) {
			return nil, false
		}
		entries, _ := readList(text)
		for _, e := range entries {
			name := path.Join(c.Name, e.Base)
			switch {
			case e.IsDir():
				names, todo = append(names, name), append(todo, name)
			case e.Bits.IsRegular():
				files = append(files, name)
			}
		}
	}
	return append(names, files...), true
}
