package applicationset

import (
	"cmp"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/report"
)

// listed is how many Applications a set's status names; more would make the
// object too large for the API server.
const listed = 5000

// status lists the Applications of the set with what they say of themselves.
func (r *Reconciler) status(set *v1alpha1.ApplicationSet, apps []v1alpha1.Application) {
	resources := make([]v1alpha1.ResourceStatus, 0, len(apps))
	for i := range apps {
		app := &apps[i]
		resources = append(resources, v1alpha1.ResourceStatus{
			Group: v1alpha1.Group, Version: v1alpha1.Version, Kind: "Application",
			Namespace: app.Namespace, Name: app.Name,
			Status: app.Status.Sync.Status,
			Health: healthOf(app),
		})
	}
	slices.SortFunc(resources, func(a, b v1alpha1.ResourceStatus) int { return cmp.Compare(a.Name, b.Name) })
	set.Status.ResourcesCount = int64(len(resources))
	set.Status.Resources = resources[:min(len(resources), listed)]
}

// reasonUnresolved is the reason of the condition ParameterWarning.
const reasonUnresolved = "UnresolvedParameter"

// unresolved says in the set's status what its template leaves unresolved, until
// nothing is. An expansion that fails has not seen all of it, and changes nothing.
func unresolved(set *v1alpha1.ApplicationSet, text string, now time.Time) {
	if text != "" {
		report.SetSetCondition(set, v1alpha1.ApplicationSetConditionParameterWarning, v1alpha1.ApplicationSetConditionStatusTrue, reasonUnresolved, text, now)
		return
	}
	set.Status.Conditions = slices.DeleteFunc(set.Status.Conditions, func(c v1alpha1.ApplicationSetCondition) bool {
		return c.Type == v1alpha1.ApplicationSetConditionParameterWarning
	})
}

func healthOf(app *v1alpha1.Application) *v1alpha1.HealthStatus {
	h := app.Status.Health
	if h.Status == "" {
		return nil
	}
	return &v1alpha1.HealthStatus{Status: h.Status, LastTransitionTime: h.LastTransitionTime}
}
