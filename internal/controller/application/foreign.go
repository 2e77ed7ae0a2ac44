package application

import (
	"fmt"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// maxForeign bounds how many objects a warning names.
const maxForeign = 5

// leaveForeign takes out of what is live the objects that bear the application's
// mark, are in none of its sources, and are not permitted by its project:
// whoever may write there may copy a mark. They are none of the application's,
// and a warning names them.
func (t *target) leaveForeign(set *plan.Set, live map[gitops.Key]*gitops.Live) []gitops.Warning {
	desired := map[gitops.Key]bool{}
	for _, k := range set.Keys() {
		desired[k] = true
	}
	var names []string
	for k, l := range live {
		if desired[k] || !plan.Owned(l, t.tracking) || policy.Live(t.project, k, t.place(), t.scoped) == nil {
			continue
		}
		delete(live, k)
		names = append(names, k.String())
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
