package why

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// mostUnlike is how many objects that differ are named.
const mostUnlike = 5

// application tells why a whole application is as it is.
func (w *whyObjectFlags) application(ctx context.Context, h *target.Hub, a *v1alpha1.Application) []string {
	style, status := w.Style(w.Out), &a.Status
	sync, health := cmp.Or(string(status.Sync.Status), "Unknown"), cmp.Or(string(status.Health.Status), "Unknown") // of one that nobody compared yet
	lines := []string{style.Title("application "+a.Name) + " " + style.Word(sync) + ", " + style.Word(health)}
	for _, c := range status.Conditions {
		lines = append(lines, "  "+said(c.Type, c.Message))
	}
	lines = append(lines, operating(a)...)
	if needs := a.Annotations[gitops.AnnotationDependsOn]; needs != "" {
		lines = append(lines, "  its syncs begin when these are healthy: "+screen.Words(needs))
	}
	lines = append(lines, unlike(a, h.NameOf(a))...)
	if status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync {
		lines = append(lines, unsynced(a, h.NameOf(a))...)
	}
	return append(lines, closed(ctx, h, a)...)
}

// operating tells of the operation that runs, or of the last one.
func operating(a *v1alpha1.Application) []string {
	st := a.Status.OperationState
	switch {
	case st == nil:
		return []string{"  it was never synced"}
	case st.Runs():
		return []string{"  a sync runs: " + screen.Words(operation.Message(a))}
	}
	return []string{fmt.Sprintf("  last sync%s: %s", at(st.SyncResult), said(string(st.Phase), st.Message))}
}

// said is a word with the message that explains it, if there is one.
func said(word, message string) string {
	if message = screen.Words(message); message == "" {
		return word
	}
	return word + ": " + message
}

func at(r *v1alpha1.SyncOperationResult) string {
	if r == nil || r.Revision == "" {
		return ""
	}
	return " to " + gitops.ShortRevision(r.Revision)
}

// unlike names objects that are not as Git says, or not healthy. Name is what commands
// call the application.
func unlike(a *v1alpha1.Application, name string) []string {
	var lines []string
	for i := range a.Status.Resources {
		if why := unlikeness(&a.Status.Resources[i]); why != "" {
			lines = append(lines, "  "+why)
		}
	}
	if more := len(lines) - mostUnlike; more > 0 {
		lines = append(lines[:mostUnlike], "  and "+gitops.Count(more, "object")+" more: causeway tree "+name)
	}
	return lines
}

func unlikeness(r *v1alpha1.ResourceStatus) string {
	var what []string
	switch {
	case r.RequiresPruning:
		what = append(what, "no longer in the sources")
	case r.Status == v1alpha1.SyncStatusCodeOutOfSync:
		what = append(what, string(r.Status))
	}
	if r.Health != nil && r.Health.Status != v1alpha1.HealthStatusHealthy && r.Health.Status != "" {
		text := string(r.Health.Status)
		if r.Health.Message != "" {
			text += " (" + screen.Words(r.Health.Message) + ")"
		}
		what = append(what, text)
	}
	if len(what) == 0 {
		return ""
	}
	return gitops.ObjectName(r.Kind, r.Namespace, r.Name) + ": " + strings.Join(what, ", ")
}

// unsynced tells why nothing brings the application to what Git says. Name is what
// commands call it.
func unsynced(a *v1alpha1.Application, name string) []string {
	st := a.Status.OperationState
	onlyPrunes := !slices.ContainsFunc(a.Status.Resources, func(r v1alpha1.ResourceStatus) bool {
		return r.Status == v1alpha1.SyncStatusCodeOutOfSync && !r.RequiresPruning
	})
	switch {
	case v1alpha1.SkipsReconcile(a.Annotations):
		return []string{"  it is paused by the annotation " + v1alpha1.AnnotationSkipReconcile}
	case fleetstatus.PausedBy(a) != "":
		return []string{"  " + fleetstatus.PausedBy(a)}
	case st.Runs():
		return nil
	case !a.Spec.SyncPolicy.IsAutomated():
		return []string{"  it is synced on demand only: causeway sync " + name}
	case onlyPrunes && !a.Spec.SyncPolicy.AutomatedPrune():
		return []string{"  automated syncs do not prune: causeway sync " + name + " --prune"}
	case st.Failed() && st.SyncResult != nil && operation.Current(a):
		return []string{"  the sync" + at(st.SyncResult) + " failed, and is tried again by itself when what is synced changes; to try now: causeway sync " + name}
	case st.Succeeded() && !a.Spec.SyncPolicy.AutomatedSelfHeal():
		return []string{"  what is changed in the cluster is not healed: selfHeal is off"}
	}
	return nil
}
