package compare

import (
	"fmt"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// maxForeign bounds how many objects a warning names.
const maxForeign = 5

// visible are the desired objects of which the cluster is asked.
func (s *Subject[C]) visible(set *plan.Set) []gitops.Key {
	return slices.DeleteFunc(set.Keys(), func(k gitops.Key) bool { return !s.mayLook(set, k) })
}

// mayLook reports whether what is there of an object is the application's
// concern. The namespace of the destination always is.
func (s *Subject[C]) mayLook(set *plan.Set, k gitops.Key) bool {
	return set.Namespace != nil && set.Namespace.Key == k || s.Permits(k) == nil
}

// LeaveForeign takes out of what is live the objects that the application's project does not permit. Those of its own
// sources count as if they were not there: that an object of another team is as somebody guessed, or how it fares, is
// not told, and nothing is asked of the API server about it. Those that only bear the application's mark are none of
// its own, for whoever may write there may copy a mark, and a warning names them.
func (s *Subject[C]) LeaveForeign(set *plan.Set, live map[gitops.Key]*gitops.Live) []gitops.Warning {
	desired := map[gitops.Key]bool{}
	for _, k := range set.Keys() {
		desired[k] = true
	}
	var names []string
	for k, l := range live {
		if s.mayLook(set, k) {
			continue
		}
		delete(live, k)
		if !desired[k] && plan.Owned(l, s.Tracking) {
			names = append(names, k.String())
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	text := gitops.Listed(names, maxForeign)
	return []gitops.Warning{{
		Reason:  v1alpha1.ApplicationConditionForeignResourceWarning,
		Message: fmt.Sprintf("left alone, although marked as this application's: project %q does not permit %s", s.Project.Name, text),
	}}
}
