package record

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// maxChanged bounds the files that one log names: people read the first.
const maxChanged = 200

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
// bounded to the first 200. The log must hold for the first snapshot.
func (l *Log) Changed(before, after *gitops.Snapshot) []string {
	found := map[string]bool{}
	for _, a := range l.answers {
		if ask(a.question, after, a.name) == a.want {
			continue
		}
		switch a.question {
		case content, kind:
			found[a.name] = true
		case folder:
			differing(before.Tree, after.Tree, a.name, found, true)
		case listing:
			differing(before.Tree, after.Tree, a.name, found, false)
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

// differing finds what two trees have differently below a folder: files, or
// without deep only names that came, went or changed their kind.
func differing(a, b gitops.Tree, dir string, found map[string]bool, deep bool) {
	before, errA := kinds(a, dir)
	after, errB := kinds(b, dir)
	if errA != nil || errB != nil {
		found[dir] = true // it is no folder on one side
		return
	}
	for name, was := range before {
		is, still := after[name]
		full := path.Join(dir, name)
		switch {
		case len(found) > maxChanged:
			return
		case !still || was.IsDir() != is.IsDir() || was.Type() != is.Type():
			found[full] = true
		case !deep || same(a, b, full):
		case was.IsDir():
			differing(a, b, full, found, deep)
		default:
			found[full] = true
		}
	}
	for name := range after {
		if _, was := before[name]; !was {
			found[path.Join(dir, name)] = true
		}
	}
}

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
