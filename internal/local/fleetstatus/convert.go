package fleetstatus

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// AppOf cuts an Application down. servers has the clusters' names by address.
func AppOf(app *v1alpha1.Application, servers map[string]string) App {
	status := &app.Status
	_, checking := app.RefreshRequested()
	a := App{
		Name: app.Name, Cluster: clusterOf(app.Spec.Destination, servers),
		Sync:   cmp.Or(string(status.Sync.Status), unknown),
		Health: cmp.Or(string(status.Health.Status), unknown),
		Manual: !app.Spec.SyncPolicy.IsAutomated(), Checking: checking,
		Problem: problem(status),
	}
	if status.Health.LastTransitionTime != nil {
		a.Since = status.Health.LastTransitionTime.Time
	}
	if op := status.OperationState; op != nil {
		a.Phase, a.Message = string(op.Phase), op.Message
		if op.Runs() {
			a.Since = op.StartedAt.Time
		}
		if op.Succeeded() {
			a.Message = ""
		}
	}
	if a.Message == "" && a.Health != healthy {
		a.Message = unwell(status.Resources)
	}
	a.Message = cmp.Or(PausedBy(app), a.Message) // until that ends, it waits for nothing else
	return a
}

// PausedBy is what the engine says of an Application's cluster that is left alone;
// empty where it is not.
func PausedBy(app *v1alpha1.Application) string {
	for _, c := range app.Status.Conditions {
		if c.Type == v1alpha1.ApplicationConditionClusterPausedWarning {
			return c.Message
		}
	}
	return ""
}

// clusterOf names the hub as it is described, also where a destination has the
// name that it has without that.
func clusterOf(d v1alpha1.ApplicationDestination, servers map[string]string) string {
	switch d.Name {
	case "":
		return cmp.Or(servers[gitops.ServerKey(d.Server)], d.Server)
	case gitops.HubName:
		return cmp.Or(servers[gitops.HubServer], d.Name)
	}
	return d.Name
}

// problem is the first error: of the comparison, else of the last operation.
func problem(status *v1alpha1.ApplicationStatus) string {
	for _, c := range status.Conditions {
		if strings.HasSuffix(c.Type, "Error") {
			return c.Type + ": " + c.Message
		}
	}
	op := status.OperationState
	if !op.Failed() {
		return ""
	}
	return fmt.Sprintf("sync %s: %s", strings.ToLower(string(op.Phase)), op.Message)
}

// unwell names the first object that is not healthy.
func unwell(resources []v1alpha1.ResourceStatus) string {
	for _, r := range resources {
		if r.Health == nil || r.Health.Status == v1alpha1.HealthStatusHealthy {
			continue
		}
		return fmt.Sprintf("%s: %s", gitops.ObjectName(r.Kind, r.Namespace, r.Name), cmp.Or(r.Health.Message, string(r.Health.Status)))
	}
	return ""
}

// SetOf cuts an ApplicationSet down.
func SetOf(set *v1alpha1.ApplicationSet) Set {
	s := Set{Name: set.Name, Apps: int(set.Status.ResourcesCount)}
	for _, c := range set.Status.Conditions {
		isTrue := c.Status == v1alpha1.ApplicationSetConditionStatusTrue
		switch {
		case c.Type == v1alpha1.ApplicationSetConditionErrorOccurred && isTrue:
			s.Problem = c.Message
		case c.Type == v1alpha1.ApplicationSetConditionParameterWarning && isTrue:
			s.Warning = c.Message
		case c.Type == v1alpha1.ApplicationSetConditionResourcesUpToDate && isTrue:
			s.Done = true
		}
	}
	return s
}
