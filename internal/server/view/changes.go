package view

import "github.com/causeway-gitops/causeway/internal/bounded"

// What is remembered for those who follow: so many changes, whose rows take so
// many bytes. Who asks for earlier ones reads all anew.
const (
	kept      = 16_384
	keptBytes = 64 << 20
)

type change struct {
	version uint64
	at      int64 // by the clock of the index
	key     Key
	row     *Row // the last one, where the Application is gone
	before  *Row // nil for an Application that is new
	gone    bool
}

// changes are the latest ones, in the order of their versions, which follow one
// another.
type changes struct {
	all  []change
	held int64 // what their rows take, in bytes
	lost int64 // when the last one was that is not remembered; -1 for none
}

func (c *changes) add(one change) {
	c.all = append(c.all, one)
	c.held += one.weight()
	for len(c.all) > kept || c.held > keptBytes {
		c.held -= c.all[0].weight()
		c.lost = c.all[0].at
		c.all[0] = change{} // the list keeps its place
		c.all = c.all[1:]
	}
}

// weight counts a row with each change that knows it: nobody asks which of them
// is forgotten first.
func (c *change) weight() int64 {
	if c.before == nil {
		return c.row.weight
	}
	return c.row.weight + c.before.weight
}

// after are those after a version, the last one first; not known when it is too
// old.
func (c *changes) after(version, now uint64) (found []change, known bool) {
	if now-version > uint64(len(c.all)) {
		return nil, false
	}
	for n := len(c.all) - 1; n >= 0 && c.all[n].version > version; n-- {
		found = append(found, c.all[n])
	}
	return found, true
}

// weigh is what a row takes in memory, in bytes.
func weigh(r *Row) int64 {
	w := bounded.Weigh(r)
	return w.Texts + w.Parts
}
