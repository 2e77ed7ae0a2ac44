package get

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/rows"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
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

func listApplications(ctx context.Context, h *target.Hub, q rows.Query) ([]rows.Row, error) {
	servers, err := target.ClusterNames(ctx, h)
	if err != nil {
		return nil, err
	}
	var items []rows.Row
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
			if q.Of(app.Spec.GetProject()) && (q.Wanted == nil || q.Wanted(app, fleetstatus.AppOf(app, servers).Cluster)) {
				items = append(items, applicationRow(app, h.NameOf(app), servers, q.Now))
			}
		}
	}
	return items, nil
}

func applicationRow(app *v1alpha1.Application, name string, servers map[string]string, now time.Time) rows.Row {
	app.SetGroupVersionKind(v1alpha1.ApplicationGVK)
	app.ManagedFields = nil
	a := fleetstatus.AppOf(app, servers)
	return rows.Row{
		Name:   name,
		Cells:  []string{name, a.Cluster, a.Sync, a.Health, table.ShortRevision(app), table.Age(app.CreationTimestamp.Time, now), screen.Words(applicationMessage(app, a))},
		Wide:   []string{table.Dash(app.Spec.Destination.Namespace), app.Spec.GetProject(), sourceText(app.Spec.GetSources())},
		Object: app,
	}
}

// applicationMessage is what is wrong, else what it waits for.
func applicationMessage(app *v1alpha1.Application, a fleetstatus.App) string {
	text := cmp.Or(a.Problem, a.Message, rolledBack(app))
	switch {
	case app.DeletionTimestamp == nil:
		return text
	case text == "" || len(approval.Unconfirmed(app)) > 0:
		return strings.TrimSuffix("Deleting: "+table.Deletion(app), ": ")
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

func listApplicationSets(ctx context.Context, h *target.Hub, q rows.Query) ([]rows.Row, error) {
	list := &v1alpha1.ApplicationSetList{}
	if err := h.Client.List(ctx, list, client.InNamespace(h.Namespace), client.MatchingLabelsSelector{Selector: q.Selector}); err != nil {
		return nil, err
	}
	var items []rows.Row
	for i := range list.Items {
		if set := &list.Items[i]; q.Of(set.Spec.Template.Spec.GetProject()) {
			items = append(items, applicationSetRow(set, q.Now))
		}
	}
	return items, nil
}

func applicationSetRow(set *v1alpha1.ApplicationSet, now time.Time) rows.Row {
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
	return rows.Row{
		Name:   set.Name,
		Cells:  []string{set.Name, strconv.Itoa(s.Apps), strconv.Itoa(well), state, table.Age(set.CreationTimestamp.Time, now), screen.Words(cmp.Or(s.Problem, s.Warning))},
		Wide:   []string{strconv.Itoa(len(set.Spec.Generators))},
		Object: set,
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

func listProjects(ctx context.Context, h *target.Hub, q rows.Query) ([]rows.Row, error) {
	list := &v1alpha1.AppProjectList{}
	if err := h.Client.List(ctx, list, client.InNamespace(h.Namespace), client.MatchingLabelsSelector{Selector: q.Selector}); err != nil {
		return nil, err
	}
	items := make([]rows.Row, 0, len(list.Items))
	for i := range list.Items {
		p := &list.Items[i]
		if !q.Of(p.Name) {
			continue
		}
		p.SetGroupVersionKind(v1alpha1.AppProjectGVK)
		p.ManagedFields = nil
		items = append(items, rows.Row{
			Name:   p.Name,
			Cells:  []string{p.Name, strconv.Itoa(len(p.Spec.SourceRepos)), strconv.Itoa(len(p.Spec.Destinations)), table.Age(p.CreationTimestamp.Time, q.Now), screen.Words(p.Spec.Description)},
			Object: p,
		})
	}
	return items, nil
}
