package record

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	// maxChanged bounds the files that one log names: people read the first.
	maxChanged = 200
	// maxCompared bounds the folders that are looked into: some differ in what
	// is not listed, as a Git submodule, and hold one another many times.
	maxCompared = 20_000
)

// Reads lists what was read, by name: files as they are, folders that
// count with all below them or by their list with a slash at the end.
func (l *Log) Reads() []string {
	var out []string
	for _, a := range l.answers {
		switch a.question {
		case content:
			out = append(out, a.name)
		case folder, listing:
			out = append(out, strings.TrimPrefix(a.name+"/", "./"))
		case kind, revision: // nothing of a file
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Changed lists the files that answer another way in the second of two
// snapshots: of a folder that counts as a whole each file below it that
// differs. An empty name stands for the revision itself. It is sorted, and
// bounded: to the first 200, and to 20,000 folders that are looked into. The log must hold for the first snapshot.
func (l *Log) Changed(before, after *gitops.Snapshot) []string {
	found := map[string]bool{}
	c := comparison{before: before.Tree, after: after.Tree, found: found, left: maxCompared}
	for _, a := range l.answers {
		if ask(a.question, after, a.name) == a.want {
			continue
		}
		switch a.question {
		case content, kind:
			found[a.name] = true
		case folder:
			c.below(a.name)
		case listing:
			c.listed(a.name)
		case revision:
			found[""] = true
		}
	}
	out := make([]string, 0, len(found))
	for name := range found {
		out = append(out, name)
	}
	slices.Sort(out)
	return out[:min(len(out), maxChanged)]
}

// comparison finds what two trees have differently.
type comparison struct {
	before, after gitops.Tree
	found         map[string]bool
	left          int // folders that may still be looked into
}

// below finds the files that differ below a folder.
func (c *comparison) below(dir string) {
	for name, was := range c.listed(dir) {
		full := path.Join(dir, name)
		switch {
		case c.over():
			return
		case same(c.before, c.after, full):
		case was.IsDir():
			c.below(full)
		default:
			c.found[full] = true
		}
	}
}

// listed finds the names that came, went or changed their kind in a folder,
// and gives the others.
func (c *comparison) listed(dir string) (stayed map[string]fs.DirEntry) {
	if c.left--; c.over() {
		return nil
	}
	before, errA := kinds(c.before, dir)
	after, errB := kinds(c.after, dir)
	if errA != nil || errB != nil {
		c.found[dir] = true // it is no folder on one side
		return nil
	}
	for name, was := range before {
		if is, still := after[name]; !still || was.Type() != is.Type() {
			c.found[path.Join(dir, name)] = true
			delete(before, name)
		}
	}
	for name := range after {
		if _, was := before[name]; !was {
			c.found[path.Join(dir, name)] = true
		}
	}
	return before
}

func (c *comparison) over() bool { return len(c.found) > maxChanged || c.left < 0 }

func kinds(t gitops.Tree, dir string) (map[string]fs.DirEntry, error) {
	list, err := t.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	out := make(map[string]fs.DirEntry, len(list))
	for _, e := range list {
		out[e.Name()] = e
	}
	return out, nil
}

func same(a, b gitops.Tree, name string) bool {
	return digestOf(a.Digest(name)) == digestOf(b.Digest(name))
}
