package application

import (
	"context"
	"fmt"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/report"
)

// orphans shows how many objects in the application's namespace belong to no
// application. That they cannot be listed stops nothing.
func (r *Reconciler) orphans(ctx context.Context, t *state.Target, c *state.Comparison) {
	desired := map[gitops.Key]bool{}
	for _, k := range c.Set.Keys() {
		desired[k] = true
	}
	had := func(s gitops.Stray) bool { return desired[s.Key] || s.App == t.Tracking }
	found, err := compare.Orphans(ctx, t.Project, t.Cluster, t.Tracking, t.App.Spec.Destination.Namespace, had, func(s gitops.Stray) bool { return r.comparer().Gone(ctx, s.App) })
	if err != nil {
		r.Log.WarnContext(ctx, "cannot look for orphaned resources", "app", t.App.Name, "error", err)
		return
	}
	var conditions []v1alpha1.ApplicationCondition
	if len(found) > 0 && policy.WarnsOfOrphans(t.Project) {
		conditions = append(conditions, v1alpha1.ApplicationCondition{Type: v1alpha1.ApplicationConditionOrphanedResourceWarning, Message: orphaned(found)})
	}
	report.SetConditions(t.App, []string{v1alpha1.ApplicationConditionOrphanedResourceWarning}, conditions, r.Now())
}

// orphaned counts objects, as Argo CD does. It names none: who reads the Application
// need not be let read what others have in its namespace, which the command asks about.
func orphaned(found []gitops.Key) string {
	return fmt.Sprintf("Application has %d orphaned resources; see causeway orphans", len(found))
}
