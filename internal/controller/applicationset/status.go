package applicationset

import (
	"cmp"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
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

func healthOf(app *v1alpha1.Application) *v1alpha1.HealthStatus {
	h := app.Status.Health
	if h.Status == "" {
		return nil
	}
	return &v1alpha1.HealthStatus{Status: h.Status, LastTransitionTime: h.LastTransitionTime}
}
