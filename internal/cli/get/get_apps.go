package get

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/policy/approval"
	"github.com/causeway-gitops/causeway/internal/screen"
)

func applicationKind() kind {
	return kind{
		resource: "application.argoproj.io", singular: "application",
		aliases: []string{"apps", "app", "application", "applications"},
		header:  []string{"NAME", "CLUSTER", "SYNC", "HEALTH", "REVISION", "AGE", "MESSAGE"},
		wide:    []string{"NAMESPACE", "PROJECT", "SOURCE"},
		list:    listApplications,
	}
}

func listApplications(ctx context.Context, h *target.Hub, q Query) ([]item, error) {
	servers, err := servers(ctx, h)
	if err != nil {
		return nil, err
	}
	var items []item
	if q.Namespaces == nil {
		q.Namespaces = []string{h.Namespace}
	}
	for _, namespace := range q.Namespaces {
		list := &v1alpha1.ApplicationList{}
		if err := h.Client.List(ctx, list, client.InNamespace(namespace), client.MatchingLabelsSelector{Selector: q.Selector}); err != nil {
			return nil, err
		}
		for i := range list.Items {
			app := &list.Items[i]
			if q.Of(app.Spec.GetProject()) && (q.wanted == nil || q.wanted(app, fleetstatus.AppOf(app, servers).Cluster)) {
				items = append(items, applicationItem(app, h.NameOf(app), servers, q.Now))
			}
		}
	}
	return items, nil
}

func applicationItem(app *v1alpha1.Application, name string, servers map[string]string, now time.Time) item {
	app.SetGroupVersionKind(v1alpha1.ApplicationGVK)
	app.ManagedFields = nil
	a := fleetstatus.AppOf(app, servers)
	return item{
		name:   name,
		cells:  []string{name, a.Cluster, a.Sync, a.Health, table.ShortRevision(app), table.Age(app.CreationTimestamp.Time, now), screen.Words(applicationMessage(app, a))},
		wide:   []string{table.Dash(app.Spec.Destination.Namespace), app.Spec.GetProject(), sourceText(app.Spec.GetSources())},
		object: app,
	}
}

// applicationMessage is what is wrong, else what it waits for.
func applicationMessage(app *v1alpha1.Application, a fleetstatus.App) string {
	text := cmp.Or(a.Problem, a.Message, rolledBack(app))
	switch {
	case app.DeletionTimestamp == nil:
		return text
	case text == "" || len(approval.Unconfirmed(app)) > 0:
		return strings.TrimSuffix("Deleting: "+DeletionText(app), ": ")
	}
	return "Deleting: " + text
}

// rolledBack is why an application stays OutOfSync after a rollback.
func rolledBack(app *v1alpha1.Application) string {
	for _, c := range app.Status.Conditions {
		if c.Type == v1alpha1.ApplicationConditionRolledBackWarning {
			return c.Message
		}
	}
	return ""
}

func sourceText(sources v1alpha1.ApplicationSources) string {
	parts := make([]string, 0, len(sources))
	for _, s := range sources {
		text := gitops.PublicAddress(s.RepoURL)
		if what := cmp.Or(s.Chart, s.Path); what != "" {
			text += "/" + what
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " + ")
}

func applicationSetKind() kind {
	return kind{
		resource: "applicationset.argoproj.io", singular: "application set",
		aliases: []string{"appsets", "appset", "applicationset", "applicationsets"},
		header:  []string{"NAME", "APPLICATIONS", "HEALTHY", "STATE", "AGE", "MESSAGE"},
		wide:    []string{"GENERATORS"},
		list:    listApplicationSets,
	}
}

func listApplicationSets(ctx context.Context, h *target.Hub, q Query) ([]item, error) {
	list := &v1alpha1.ApplicationSetList{}
	if err := h.Client.List(ctx, list, client.InNamespace(h.Namespace), client.MatchingLabelsSelector{Selector: q.Selector}); err != nil {
		return nil, err
	}
	var items []item
	for i := range list.Items {
		if set := &list.Items[i]; q.Of(set.Spec.Template.Spec.GetProject()) {
			items = append(items, applicationSetItem(set, q.Now))
		}
	}
	return items, nil
}

func applicationSetItem(set *v1alpha1.ApplicationSet, now time.Time) item {
	set.SetGroupVersionKind(v1alpha1.ApplicationSetGVK)
	set.ManagedFields = nil
	s := fleetstatus.SetOf(set)
	state := "Unknown"
	switch {
	case s.Problem != "":
		state = "Error"
	case s.Done:
		state = "up to date"
	}
	well := 0
	for _, r := range set.Status.Resources {
		if r.Health != nil && r.Health.Status == v1alpha1.HealthStatusHealthy {
			well++
		}
	}
	return item{
		name:   set.Name,
		cells:  []string{set.Name, strconv.Itoa(s.Apps), strconv.Itoa(well), state, table.Age(set.CreationTimestamp.Time, now), screen.Words(cmp.Or(s.Problem, s.Warning))},
		wide:   []string{strconv.Itoa(len(set.Spec.Generators))},
		object: set,
	}
}

func projectKind() kind {
	return kind{
		resource: "appproject.argoproj.io", singular: "project",
		aliases: []string{"projects", "project", "appproject", "appprojects"},
		header:  []string{"NAME", "REPOSITORIES", "DESTINATIONS", "AGE", "DESCRIPTION"},
		list:    listProjects,
	}
}

func listProjects(ctx context.Context, h *target.Hub, q Query) ([]item, error) {
	list := &v1alpha1.AppProjectList{}
	if err := h.Client.List(ctx, list, client.InNamespace(h.Namespace), client.MatchingLabelsSelector{Selector: q.Selector}); err != nil {
		return nil, err
	}
	items := make([]item, 0, len(list.Items))
	for i := range list.Items {
		p := &list.Items[i]
		if !q.Of(p.Name) {
			continue
		}
		p.SetGroupVersionKind(v1alpha1.AppProjectGVK)
		p.ManagedFields = nil
		items = append(items, item{
			name:   p.Name,
			cells:  []string{p.Name, strconv.Itoa(len(p.Spec.SourceRepos)), strconv.Itoa(len(p.Spec.Destinations)), table.Age(p.CreationTimestamp.Time, q.Now), screen.Words(p.Spec.Description)},
			object: p,
		})
	}
	return items, nil
}

// DeletionText is what the deletion of an Application waits for; empty when
// that is nothing.
func DeletionText(app *v1alpha1.Application) string {
	for _, c := range app.Status.Conditions {
		if c.Type == v1alpha1.ApplicationConditionDeletionError {
			return screen.Words(c.Message)
		}
	}
	if asking := approval.Unconfirmed(app); len(asking) > 0 {
		return fmt.Sprintf("waiting for a confirmation of %s: causeway approve %s", gitops.Count(len(asking), "deletion"), gitops.NameIn(app.Namespace, app.Name))
	}
	if operation.Busy(app) {
		return "waiting for its operation: " + screen.Words(operation.Message(app))
	}
	if len(app.Finalizers) == 0 {
		return ""
	}
	return "waiting for " + strings.Join(app.Finalizers, ", ")
}
