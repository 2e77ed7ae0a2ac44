package proxy

import (
	"context"
	"path"
)

const (
	// maxForetold bounds the entries of a folder, and of those in it, that are given
	// before they are asked for, and foretoldBytes their files: a message takes as
	// long as many of these.
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
}

// Foretell are the answers about a folder of a snapshot and all that is in it, where
// that is little, and about names that may be in it; the texts of files follow one
// another.
func (h *Host) Foretell(ctx context.Context, number int, dir string, names []string) (known []Known, texts []byte) {
	f := &foretelling{host: h, ctx: ctx, number: number}
	f.tell(opDigest, ".")
	f.tell(opDigest, dir)
	f.tell(opStat, dir)
	for _, name := range names {
		f.tell(opStat, path.Join(dir, name))
	}
	if folders, files, ok := f.little(dir); ok {
		for _, name := range folders {
			f.tell(opStat, name)
		}
		for _, name := range files {
			f.tell(opStat, name)
		}
	}
	return f.known, f.texts
}

// tell keeps an answer.
func (f *foretelling) tell(what op, name string) Reply {
	c := Call{Op: what, Tree: f.number, Name: name}
	r, text := f.host.Answer(f.ctx, c)
	if len(f.texts)+len(text) > foretoldBytes {
		return r
	}
	f.known, f.texts = append(f.known, Known{c, r, len(text)}), append(f.texts, text...)
	return r
}

// little lists what is in a folder, and tells the lists, unless it is much.
func (f *foretelling) little(dir string) (folders, files []string, ok bool) {
	todo := []string{dir}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		r, _ := f.host.Answer(f.ctx, Call{Op: opReadDir, Tree: f.number, Name: at})
		if r.Failure != nil || len(folders)+len(files)+len(r.Entries) > maxForetold {
			return nil, nil, false
		}
		f.known = append(f.known, Known{Call: Call{Op: opReadDir, Tree: f.number, Name: at}, Reply: r})
		for _, e := range r.Entries {
			name := path.Join(at, e.Base)
			switch {
			case e.IsDir():
				folders, todo = append(folders, name), append(todo, name)
			case e.Bits.IsRegular():
				files = append(files, name)
			}
		}
	}
	return folders, files, true
}
