package preview

import (
	"fmt"
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
)

// rivalry is an object that two others make.
type rivalry struct {
	id, one, other ID
	place          declared.Place // of the other
	repo           string
}

// contested has one finding for each two makers of the same objects.
func (s *State) contested() []finding {
	type pair struct{ one, other ID }
	all := map[pair][]rivalry{}
	var order []pair
	for _, r := range s.rivals {
		p := pair{r.one, r.other}
		if all[p] == nil {
			order = append(order, p)
		}
		all[p] = append(all[p], r)
	}
	out := make([]finding, 0, len(order))
	for _, p := range order {
		r := all[p][0]
		var names []string
		for _, x := range all[p] {
			names = append(names, x.id.Name)
		}
		out = append(out, finding{
			subject: p.other, reason: "TwoMakers", same: p.one.String() + "\n" + p.other.String(), origin: gitops.Origin{RepoURL: r.repo, File: r.place.File, Line: r.place.Line},
			message: fmt.Sprintf("%s and %s both make %s %s: each undoes what the other writes; give those of one of them other names",
				p.one, p.other, r.id.Kind, list(names)),
		})
	}
	return out
}

// again tells of an object that comes twice from one maker.
func (n node) again(was node, namespace string) finding {
	id := plain(n.id(namespace))
	return finding{
		subject: id, reason: "DeclaredTwice", same: id.String(), origin: gitops.Origin{RepoURL: n.repo, File: n.place.File, Line: n.place.Line},
		message: fmt.Sprintf("%s makes %s more than once, in %s, too: each is looked at by itself, and on one hub only one of them can be", n.parent, id, was.where()),
	}
}

func (n node) where() string { return fmt.Sprintf("%s:%d", n.place.File, n.place.Line) }

// list names a few of many.
func list(names []string) string {
	const most = 4
	slices.Sort(names)
	return gitops.Listed(slices.Compact(names), most)
}

// namesakes has one finding for each name that is declared several times: on
// one hub only one of them can be.
func namesakes(roots []node, namespace string) []finding {
	files := map[ID][]node{}
	var order []ID
	for _, n := range roots {
		id := plain(n.id(namespace))
		if files[id] == nil {
			order = append(order, id)
		}
		files[id] = append(files[id], n)
	}
	var out []finding
	for _, id := range order {
		if all := files[id]; len(all) > 1 {
			var places []string
			for _, n := range all[1:] {
				places = append(places, n.where())
			}
			first := all[0].place
			out = append(out, finding{
				subject: id, reason: "DeclaredTwice", same: id.String(), origin: gitops.Origin{File: first.File, Line: first.Line},
				message: fmt.Sprintf("%s is declared in %s, too: each is looked at by itself, and on one hub only one of them can be", id, list(places)),
			})
		}
	}
	return out
}
