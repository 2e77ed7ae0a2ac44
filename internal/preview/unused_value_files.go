package preview

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
)

// layer is a value file as it is written. One without placeholders is that of
// its maker alone; those of applications that one line of a chart makes are
// told apart by their order.
type layer struct {
	name          string
	maker         ID
	place         declared.Place
	source, index int
}

// use counts the applications of a layer, and those whose file is not there.
type use struct {
	all, absent int
	first       ID
	name        string
	makers      map[ID]bool
}

// nowhere turns what renders say of missing value files into findings about
// those that exist for no cluster at all: layers that some clusters have and
// others not are how repositories are meant to work. So is a layer, written
// alike in many sets, that some of them use: only one that leads nowhere for
// all of them is told. It returns the other findings with these.
//
// Of applications that were not rendered, because their chart is not at hand
// or nothing of theirs changed, plain names are looked up; what cannot be told
// counts as there.
func (s *State) nowhere(all []finding, rendered map[ID]bool) []finding {
	said := map[ID][]string{}
	var out []finding
	for _, f := range all {
		if f.reason == gitops.MissingValueFile {
			said[f.subject] = append(said[f.subject], f.message)
			continue
		}
		out = append(out, f)
	}
	uses := map[layer]*use{}
	var order []layer
	for _, a := range s.Applications() {
		for i, source := range a.Spec.GetSources() {
			for j, name := range valueFiles(source) {
				at := s.layerOf(a, i, j, name)
				if uses[at] == nil {
					uses[at] = &use{first: s.makerOf(a), name: name, makers: map[ID]bool{}}
					order = append(order, at)
				}
				u := uses[at]
				u.makers[s.makerOf(a)] = true
				u.all++
				if missesFile(a, i, name, said[a.ID], rendered[a.ID]) {
					u.absent++
				}
			}
		}
	}
	for _, at := range order {
		if u := uses[at]; u.absent == u.all {
			out = append(out, s.absent(at, *u))
		}
	}
	return out
}

// layerOf is the value file as the set writes it, with placeholders.
func (s *State) layerOf(a *App, source, index int, name string) layer {
	maker := s.makerOf(a)
	if a.Parent.Kind == v1alpha1.ApplicationKind && a.Place.File != "" {
		return layer{place: a.Place, source: source, index: index}
	}
	if set := s.Sets[maker]; set != nil {
		if files := valueFiles(sourceAt(set.Spec.Template.Spec, source)); index < len(files) {
			name = files[index]
		}
	}
	if strings.Contains(name, "{{") {
		return layer{name: name}
	}
	return layer{name: name, maker: maker}
}

// missesFile reports whether an application goes without a value file that it
// may go without.
func missesFile(a *App, i int, name string, said []string, rendered bool) bool {
	if strings.Contains(name, "{{") {
		return false // told as unresolved
	}
	if rendered {
		return slices.ContainsFunc(said, func(m string) bool { return names(m, name) })
	}
	s := a.Spec.GetSources()[i]
	return s.Helm != nil && s.Helm.IgnoreMissingValueFiles && a.lacks(i, name)
}

// names reports whether a message holds a name as a word.
func names(message, name string) bool {
	return strings.Contains(" "+message+" ", " "+name+" ")
}

func valueFiles(s v1alpha1.ApplicationSource) []string {
	if s.Helm == nil {
		return nil
	}
	return s.Helm.ValueFiles
}

func (s *State) absent(at layer, u use) finding {
	if at.name == "" {
		at.name = u.name
	}
	f := finding{subject: u.first, reason: "ValueFileNowhere", same: at.name + "\n" + at.maker.String()}
	where := node{}
	if set := s.Sets[u.first]; set != nil {
		where = node{place: set.Place, repo: set.Repo}
	}
	if a := s.Apps[u.first]; a != nil {
		where = node{place: a.Place, repo: a.Repo}
	}
	f.origin = s.Side.lineWith(where.repo, where.place, regexp.MustCompile(regexp.QuoteMeta(at.name)))
	f.message = fmt.Sprintf("value file %s exists for none of the %d applications that name it", at.name, u.all)
	if len(u.makers) > 1 {
		f.message += fmt.Sprintf(", of %d sets", len(u.makers))
	}
	if u.all == 1 {
		f.message = fmt.Sprintf("value file %s does not exist, and is left out", at.name)
	}
	return f
}

func sourceAt(spec v1alpha1.ApplicationSpec, i int) v1alpha1.ApplicationSource {
	if all := spec.GetSources(); i < len(all) {
		return all[i]
	}
	return v1alpha1.ApplicationSource{}
}
