package preview

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
)

// chosen are the nodes to start from. Where one name is declared several times,
// here or on the other side, each gets the file as what tells it apart, and its
// number among those of one file.
func chosen(found *declared.Found, o Options, shared map[ID]bool) ([]node, error) {
	all := declaredNodes(found)
	if len(o.Roots) > 0 {
		var err error
		if all, err = named(all, o); err != nil {
			return nil, err
		}
	}
	shared = union(shared, sharedNames(all, o.Namespace))
	count := map[ID]int{}
	for i := range all {
		if !shared[all[i].id(o.Namespace)] {
			continue
		}
		all[i].of = all[i].place.File
		id := all[i].id(o.Namespace)
		count[id]++
		all[i].of = numbered(all[i].of, count[id])
	}
	return all, nil
}

// sharedNames are the names that several nodes have.
func sharedNames(all []node, namespace string) map[ID]bool {
	seen, out := map[ID]bool{}, map[ID]bool{}
	for _, n := range all {
		id := n.id(namespace)
		if seen[id] {
			out[id] = true
		}
		seen[id] = true
	}
	return out
}

func union(a, b map[ID]bool) map[ID]bool {
	out := maps.Clone(b)
	maps.Copy(out, a)
	return out
}

func declaredNodes(found *declared.Found) []node {
	var all []node
	for _, a := range found.Applications {
		all = append(all, node{app: a.Application, place: a.Place})
	}
	for _, s := range found.Sets {
		all = append(all, node{set: s.ApplicationSet, place: s.Place})
	}
	return all
}

// named picks roots by name, Kind/name or file. A file may be a folder.
func named(all []node, o Options) ([]node, error) {
	var out []node
	for _, root := range o.Roots {
		matches := func(n node) bool {
			id := n.id(o.Namespace)
			return id.Name == root || strings.EqualFold(id.Kind+"/"+id.Name, root) || root != "" && n.within(path.Clean(root))
		}
		before := len(out)
		for _, n := range all {
			if matches(n) && !slices.ContainsFunc(out, n.is) {
				out = append(out, n)
			}
		}
		if len(out) == before && !slices.ContainsFunc(out, matches) && len(all) > 0 {
			return nil, gitops.Problemf(gitops.NotFound, "the repository declares no Application or ApplicationSet %q", root).
				Do("name one by its name, as Kind/name, or by its file; there are " + some(all, o.Namespace))
		}
	}
	return out, nil
}

// within reports whether a node is declared in a file or below a folder.
func (n node) within(place string) bool {
	return place == "." || n.place.File == place || strings.HasPrefix(n.place.File, place+"/")
}

// is reports whether two nodes are one declaration. The items of a List have
// one place, and files of one content one object.
func (n node) is(o node) bool { return n.place == o.place && n.app == o.app && n.set == o.set }

func some(all []node, namespace string) string {
	const most = 8
	var names []string
	for _, n := range all {
		names = append(names, n.id(namespace).Name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return strings.Join(names, ", ")
}
