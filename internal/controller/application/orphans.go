package application

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/report"
)

// Strayer lists the objects of a namespace that nothing owns.
type Strayer interface {
	Strays(ctx context.Context, tracking, namespace string) ([]fleet.Stray, error)
}

// Orphans lists the objects in an application's namespace that no application
// has, sorted. had tells which the application itself has or wants, gone that
// no application has a tracking name.
func Orphans(ctx context.Context, project *v1alpha1.AppProject, cluster Strayer, tracking, namespace string, had, gone func(fleet.Stray) bool) ([]gitops.Key, error) {
	if project.Spec.OrphanedResources == nil || namespace == "" {
		return nil, nil
	}
	strays, err := cluster.Strays(ctx, tracking, namespace)
	if err != nil {
		return nil, err
	}
	var out []gitops.Key
	for _, s := range strays {
		if had(s) || !policy.Orphan(project, s.Key) || s.App != "" && !gone(s) {
			continue
		}
		out = append(out, s.Key)
	}
	slices.SortFunc(out, func(a, b gitops.Key) int { return cmp.Compare(a.String(), b.String()) })
	return out, nil
}

// orphans shows how many objects in the application's namespace belong to no
// application. That they cannot be listed stops nothing.
func (r *Reconciler) orphans(ctx context.Context, t *target, c *comparison) {
	desired := map[gitops.Key]bool{}
	for _, k := range c.set.Keys() {
		desired[k] = true
	}
	had := func(s fleet.Stray) bool { return desired[s.Key] || s.App == t.tracking }
	found, err := Orphans(ctx, t.project, t.cluster, t.tracking, t.app.Spec.Destination.Namespace, had, func(s fleet.Stray) bool { return r.gone(s.App) })
	if err != nil {
		r.Log.WarnContext(ctx, "cannot look for orphaned resources", "app", t.app.Name, "error", err)
		return
	}
	var conditions []v1alpha1.ApplicationCondition
	if len(found) > 0 && policy.WarnsOfOrphans(t.project) {
		conditions = append(conditions, v1alpha1.ApplicationCondition{Type: v1alpha1.ApplicationConditionOrphanedResourceWarning, Message: orphaned(found)})
	}
	report.SetConditions(t.app, []string{v1alpha1.ApplicationConditionOrphanedResourceWarning}, conditions, r.Now())
}

// orphaned counts objects, as Argo CD does. It names none: who reads the Application
// need not be let read what others have in its namespace, which the command asks about.
func orphaned(found []gitops.Key) string {
	return fmt.Sprintf("Application has %d orphaned resources; see causeway orphans", len(found))
}
