package preview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// missingValueFile is the renderer's word for a value file that is not there
// though it may be missing.
const missingValueFile = "MissingValueFile"

// slot is one place of a value file in the template of a set.
type slot struct {
	set           ID
	source, index int
}

// nowhere turns what renders say of missing value files into warnings about
// those that exist for no cluster at all: layers that some clusters have and
// others not are how repositories are meant to work. The renderer's own words
// are taken out of all.
func nowhere(s *State, all *[]finding) []finding {
	absent := map[ID][]string{}
	*all = slices.DeleteFunc(*all, func(f finding) bool {
		if f.reason != missingValueFile {
			return false
		}
		absent[f.subject] = append(absent[f.subject], f.message)
		return true
	})
	count, lacking, names := map[slot]int{}, map[slot]int{}, map[slot]string{}
	var order []slot
	for _, a := range s.Applications() {
		for i, source := range a.Spec.GetSources() {
			for j, name := range valueFiles(source) {
				at := slot{a.Parent, i, j}
				if a.Parent.Kind != v1alpha1.ApplicationSetKind {
					at.set = a.ID
				}
				if count[at] == 0 {
					order = append(order, at)
				}
				count[at]++
				if slices.ContainsFunc(absent[a.ID], func(m string) bool { return strings.Contains(m, name) }) {
					lacking[at]++
					names[at] = name
				}
			}
		}
	}
	var out []finding
	for _, at := range order {
		if lacking[at] == count[at] {
			out = append(out, s.absent(at, names[at], count[at]))
		}
	}
	return out
}

func valueFiles(s v1alpha1.ApplicationSource) []string {
	if s.Helm == nil {
		return nil
	}
	return s.Helm.ValueFiles
}

func (s *State) absent(at slot, name string, applications int) finding {
	f := finding{subject: at.set, reason: "ValueFileNowhere"}
	if set := s.Sets[at.set]; set != nil {
		f.origin = gitops.Origin{File: set.Place.File, Line: set.Place.Line}
		if files := valueFiles(sourceAt(set.Spec.Template.Spec, at.source)); at.index < len(files) {
			name = files[at.index]
		}
	}
	f.message = fmt.Sprintf("value file %s exists for none of the %d applications that name it", name, applications)
	return f
}

func sourceAt(spec v1alpha1.ApplicationSpec, i int) v1alpha1.ApplicationSource {
	if all := spec.GetSources(); i < len(all) {
		return all[i]
	}
	return v1alpha1.ApplicationSource{}
}
