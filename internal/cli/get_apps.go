package cli

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
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

func listApplications(ctx context.Context, h *hub, q query) ([]item, error) {
	servers, err := h.servers(ctx)
	if err != nil {
		return nil, err
	}
	var items []item
	if q.namespaces == nil {
		q.namespaces = []string{h.namespace}
	}
	for _, namespace := range q.namespaces {
		list := &v1alpha1.ApplicationList{}
		if err := h.client.List(ctx, list, client.InNamespace(namespace), client.MatchingLabelsSelector{Selector: q.selector}); err != nil {
			return nil, err
		}
		for i := range list.Items {
			app := &list.Items[i]
			if q.of(app.Spec.GetProject()) && (q.wanted == nil || q.wanted(app, fleetstatus.AppOf(app, servers).Cluster)) {
				items = append(items, applicationItem(app, h.nameOf(app), servers, q.now))
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
		cells:  []string{name, a.Cluster, a.Sync, a.Health, shortRevision(app), age(app.CreationTimestamp.Time, now), screen.Words(applicationMessage(app, a))},
		wide:   []string{dash(app.Spec.Destination.Namespace), app.Spec.GetProject(), sourceText(app.Spec.GetSources())},
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
		return strings.TrimSuffix("Deleting: "+deletionText(app), ": ")
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

func shortRevision(app *v1alpha1.Application) string {
	revision := app.Status.Sync.Revision
	if app.Spec.HasMultipleSources() {
		revision = strings.Join(shortAll(app.Status.Sync.Revisions), ",")
	}
	return dash(shorten(revision))
}

func shortAll(revisions []string) []string {
	out := make([]string, 0, len(revisions))
	for _, r := range revisions {
		if r != "" {
			out = append(out, shorten(r))
		}
	}
	return out
}

// shorten cuts a commit hash or digest as Git does.
func shorten(revision string) string {
	revision = strings.TrimPrefix(revision, "sha256:")
	if len(revision) >= 40 && strings.Trim(revision, "0123456789abcdef") == "" {
		return revision[:7]
	}
	return revision
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

func listApplicationSets(ctx context.Context, h *hub, q query) ([]item, error) {
	list := &v1alpha1.ApplicationSetList{}
	if err := h.client.List(ctx, list, client.InNamespace(h.namespace), client.MatchingLabelsSelector{Selector: q.selector}); err != nil {
		return nil, err
	}
	var items []item
	for i := range list.Items {
		if set := &list.Items[i]; q.of(set.Spec.Template.Spec.Project) {
			items = append(items, applicationSetItem(set, q.now))
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
		cells:  []string{set.Name, strconv.Itoa(s.Apps), strconv.Itoa(well), state, age(set.CreationTimestamp.Time, now), screen.Words(cmp.Or(s.Problem, s.Warning))},
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

func listProjects(ctx context.Context, h *hub, q query) ([]item, error) {
	list := &v1alpha1.AppProjectList{}
	if err := h.client.List(ctx, list, client.InNamespace(h.namespace), client.MatchingLabelsSelector{Selector: q.selector}); err != nil {
		return nil, err
	}
	items := make([]item, 0, len(list.Items))
	for i := range list.Items {
		p := &list.Items[i]
		p.SetGroupVersionKind(v1alpha1.AppProjectGVK)
		p.ManagedFields = nil
		items = append(items, item{
			name:   p.Name,
			cells:  []string{p.Name, strconv.Itoa(len(p.Spec.SourceRepos)), strconv.Itoa(len(p.Spec.Destinations)), age(p.CreationTimestamp.Time, q.now), screen.Words(p.Spec.Description)},
			object: p,
		})
	}
	return items, nil
}

func age(since, now time.Time) string {
	if since.IsZero() {
		return "-"
	}
	return duration.HumanDuration(now.Sub(since))
}

func dash(text string) string { return cmp.Or(text, "-") }
