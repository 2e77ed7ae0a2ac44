package preview

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// circle warns of an object that is made by what it makes itself. An
// application that manages itself, as it is declared, is no mistake.
func (e *expansion) circle(was, n node) {
	id := n.id(e.options.Namespace)
	path := e.path(n.parent, id)
	if path == nil || (len(path) == 1 && was.says(n)) {
		return
	}
	slices.Reverse(path)
	names := make([]string, 0, len(path)+1)
	for _, p := range append(path, id) {
		names = append(names, p.Kind+" "+p.Name)
	}
	e.state.warnings = append(e.state.warnings, finding{
		subject: id, reason: "Circle", same: id.String(),
		message: strings.Join(names, " → ") + ": each makes the next, so a deletion or a change goes round; let only one of them come from outside",
		origin:  gitops.Origin{RepoURL: n.repo, File: n.place.File, Line: n.place.Line},
	})
}

// path leads from an object up its makers to another one, nil when that is not
// among them.
func (e *expansion) path(from, to ID) []ID {
	var out []ID
	for at := from; at != (ID{}) && len(out) <= maxDepth; {
		out = append(out, at)
		if at == to {
			return out
		}
		switch {
		case e.state.Apps[at] != nil:
			at = e.state.Apps[at].Parent
		case e.state.Sets[at] != nil:
			at = e.state.Sets[at].Parent
		default:
			return nil
		}
	}
	return nil
}
