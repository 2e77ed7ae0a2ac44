package git

import (
	"bytes"
	"os"
	"sync"

	"github.com/causeway-gitops/causeway/internal/source/version"
)

// order has the tags of a listing in a file, the newest version first: all
// ranges share the one pass that finds out.
type order struct {
	home string

	mu   sync.Mutex
	path string
}

// remove removes the file, else the next start does, see NewCommand.
func (o *order) remove() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.path != "" {
		_ = os.Remove(o.path)
	}
}

// file is where the tags lie; list tells them where that is not known yet.
func (o *order) file(list func() ([]string, error)) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.path != "" {
		return o.path, nil
	}
	tags, err := list()
	if err != nil {
		return "", err
	}
	version.Sort(tags)
	p := page{home: o.home}
	if err := p.begin(); err != nil {
		return "", unwritable(err)
	}
	for _, tag := range tags {
		if err = p.write([]byte("\t" + tagPrefix + tag + "\n")); err != nil {
			break
		}
	}
	if ended := p.end(); err == nil {
		err = ended
	}
	if err != nil {
		p.drop()
		return "", unwritable(err)
	}
	o.path = p.path()
	return o.path, nil
}

// tagOf is the tag of a line's name; false for other references, and for what
// an annotated tag leads to.
func tagOf(name []byte) ([]byte, bool) {
	tag, ok := bytes.CutPrefix(name, []byte(tagPrefix))
	return tag, ok && !bytes.HasSuffix(tag, []byte(peeled))
}
