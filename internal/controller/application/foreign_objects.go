package application

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// maxForeign bounds how many objects a warning names.
const maxForeign = 5

// visible are the desired objects of which the cluster is asked.
func (t *target) visible(set *plan.Set) []gitops.Key {
	return slices.DeleteFunc(set.Keys(), func(k gitops.Key) bool { return !t.mayLook(set, k) })
}

// kinds are those of which the cluster is asked.
func (t *target) kinds(set *plan.Set) []schema.GroupVersionKind {
	return Kinds(t.app, set, t.project, t.cluster.Scope())
}

// mayLook reports whether what is there of an object is the application's
// concern. The namespace of the destination always is.
func (t *target) mayLook(set *plan.Set, k gitops.Key) bool {
	return set.Namespace != nil && set.Namespace.Key == k || policy.Live(t.project, k, t.place(), t.scoped) == nil
}

// mayAsk reports whether the cluster may be asked what has become of an object of a plan: the project may have been
// narrowed since that was made.
func (t *target) mayAsk(a *gitops.Action) bool { return a.Namespace || t.sees(a.Key) }

// leaveForeign takes out of what is live the objects that the application's project does not permit. Those of its own
// sources count as if they were not there: that an object of another team is as somebody guessed, or how it fares, is
// not told, and nothing is asked of the API server about it. Those that only bear the application's mark are none of
// its own, for whoever may write there may copy a mark, and a warning names them.
func (t *target) leaveForeign(set *plan.Set, live map[gitops.Key]*gitops.Live) []gitops.Warning {
	desired := map[gitops.Key]bool{}
	for _, k := range set.Keys() {
		desired[k] = true
	}
	var names []string
	for k, l := range live {
		if t.mayLook(set, k) {
			continue
		}
		delete(live, k)
		if !desired[k] && plan.Owned(l, t.tracking) {
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
		Message: fmt.Sprintf("left alone, although marked as this application's: project %q does not permit %s", t.project.Name, text),
	}}
}
