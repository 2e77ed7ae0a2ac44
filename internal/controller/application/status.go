package application

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/report"
)

var warningConditions = []string{
	v1alpha1.ApplicationConditionSharedResourceWarning,
	v1alpha1.ApplicationConditionRepeatedResourceWarning,
	v1alpha1.ApplicationConditionExcludedResourceWarning,
	v1alpha1.ApplicationConditionIneffectiveOptionWarning,
	v1alpha1.ApplicationConditionDriftWarning,
	v1alpha1.ApplicationConditionSkippedManifestWarning,
	v1alpha1.ApplicationConditionForeignResourceWarning,
	v1alpha1.ApplicationConditionMergedResourceWarning,
}

// show writes what was compared into the status. A revision that changes
// nothing the application reads is no reason to write, unless somebody asked
// for the look: they have to see that this revision was looked at.
func show(app *v1alpha1.Application, c *state.Comparison, checks *observe.Checks, now time.Time) {
	status := &app.Status
	before := status.DeepCopy()
	showResources(app, c)
	showSync(app, c)
	showHealth(app, c.Plan, checks, now)
	showTypes(status, c)
	status.Summary.Images = images(c.Plan)
	status.Summary.IsAppOfApps = slices.ContainsFunc(status.Resources, isApp)
	report.SetConditions(app, warningConditions, slices.Concat(warnings(c), drifted(c.Plan)), now)
	fit(app, now)
	if !c.Asked && sameButRevision(before, status) {
		status.Sync.Revision, status.Sync.Revisions = before.Sync.Revision, before.Sync.Revisions
		return
	}
	at := opstate.Seconds(now)
	status.ReconciledAt = &at
}

// sameButRevision reports whether nothing but the revision moved, in an
// application that is at rest.
func sameButRevision(a, b *v1alpha1.ApplicationStatus) bool {
	if a.Sync.Revision == "" && a.Sync.Revisions == nil {
		return false
	}
	x, y := *a, *b
	x.Sync.Revision, x.Sync.Revisions = "", nil
	y.Sync.Revision, y.Sync.Revisions = "", nil
	return reflect.DeepEqual(x, y)
}

func showSync(app *v1alpha1.Application, c *state.Comparison) {
	sync := &app.Status.Sync
	sync.Status = v1alpha1.SyncStatusCode(c.Plan.Sync)
	sync.ComparedTo = v1alpha1.ComparedTo{Destination: app.Spec.Destination, IgnoreDifferences: app.Spec.IgnoreDifferences}
	if c.Multiple {
		sync.ComparedTo.Sources = c.Sources
		sync.Revision, sync.Revisions = "", c.Revisions
		return
	}
	sync.ComparedTo.Source = c.Source()
	sync.Revision, sync.Revisions = opstate.First(c.Revisions), nil
}

func showTypes(status *v1alpha1.ApplicationStatus, c *state.Comparison) {
	status.SourceType, status.SourceTypes = "", nil
	if !c.Multiple {
		if len(c.Rendering.Types) > 0 {
			status.SourceType = v1alpha1.ApplicationSourceType(c.Rendering.Types[0])
		}
		return
	}
	for _, t := range c.Rendering.Types {
		status.SourceTypes = append(status.SourceTypes, v1alpha1.ApplicationSourceType(t))
	}
}

func showResources(app *v1alpha1.Application, c *state.Comparison) {
	var resources []v1alpha1.ResourceStatus
	for action, wave := range c.Plan.All() {
		switch {
		case action.Hook && plan.Asks(action):
			resources = append(resources, becoming(action, wave.Number))
		case !action.Namespace && !action.Hook:
			resources = append(resources, resource(action, wave.Number))
		}
	}
	for _, extra := range plan.Extras(c.Set, c.Live) {
		resources = append(resources, extraResource(extra))
	}
	slices.SortFunc(resources, func(a, b v1alpha1.ResourceStatus) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	app.Status.Resources = resources
}

// becoming shows an object that a person is asked about before it becomes a
// hook: it is none yet, and no part of the application any more.
func becoming(a *gitops.Action, wave int) v1alpha1.ResourceStatus {
	return v1alpha1.ResourceStatus{
		Group: a.Key.Group, Version: opstate.Version(a), Kind: a.Key.Kind, Namespace: a.Key.Namespace, Name: a.Key.Name,
		Hook: true, RequiresPruning: true, RequiresDeletionConfirmation: true, SyncWave: int64(wave),
	}
}

// extraResource shows a hook, a copy, or what is never applied: it has no sync
// status, and its health is not the application's.
func extraResource(e plan.Extra) v1alpha1.ResourceStatus {
	return v1alpha1.ResourceStatus{
		Group: e.Key.Group, Version: e.Version, Kind: e.Key.Kind, Namespace: e.Key.Namespace, Name: e.Key.Name,
		Hook: e.Hook, RequiresPruning: e.Own, SyncWave: int64(e.Wave),
	}
}

func resource(a *gitops.Action, wave int) v1alpha1.ResourceStatus {
	return v1alpha1.ResourceStatus{
		Group: a.Key.Group, Kind: a.Key.Kind, Namespace: a.Key.Namespace, Name: a.Key.Name,
		Version: opstate.Version(a), Status: v1alpha1.SyncStatusCode(a.Sync), RequiresPruning: a.Desired == nil,
		Health: health(a), SyncWave: int64(wave),
		RequiresDeletionConfirmation: a.Options.NeedsConfirming || a.Options.ConfirmDelete,
	}
}

func health(a *gitops.Action) *v1alpha1.HealthStatus {
	if a.Live != nil && a.Live.Annotations[gitops.AnnotationIgnore] == "true" {
		return nil
	}
	h := observe.Item{Key: a.Key, Live: a.Live}.Health()
	if h.Code == "" {
		return nil
	}
	return &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusCode(h.Code), Message: h.Message}
}

// showHealth sums up the objects that count, also those that are to be pruned;
// the time moves with the code. An application of which nothing is there is Missing.
func showHealth(app *v1alpha1.Application, p *gitops.Plan, checks *observe.Checks, now time.Time) {
	var items []observe.Item
	absent := true
	for action := range p.All() {
		if action.Namespace || action.Hook || action.Desired == nil && action.Options.IgnoreExtra {
			continue
		}
		absent = absent && action.Live == nil
		items = append(items, observe.Item{Key: action.Key, Live: action.Live, Ignored: action.Options.IgnoreHealth})
	}
	worst := checks.Sum(items).Code
	if absent && len(items) > 0 && gitops.Worse(gitops.Missing, worst) {
		worst = gitops.Missing
	}
	code := v1alpha1.HealthStatusCode(worst)
	if app.Status.Health.Status == code {
		return
	}
	at := opstate.Seconds(now)
	app.Status.Health = v1alpha1.AppHealthStatus{Status: code, LastTransitionTime: &at}
}

func images(p *gitops.Plan) []string {
	set := map[string]bool{}
	for action := range p.All() {
		if action.Live == nil {
			continue
		}
		for _, image := range action.Live.Images {
			set[image] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

func isApp(r v1alpha1.ResourceStatus) bool {
	return r.Group == v1alpha1.Group && (r.Kind == v1alpha1.ApplicationKind || r.Kind == v1alpha1.ApplicationSetKind)
}

// maxWarnings bounds the conditions of one type: the first ones are enough to
// act on, and the status of an Application has to stay small.
const maxWarnings = 10

func warnings(c *state.Comparison) []v1alpha1.ApplicationCondition {
	var out []v1alpha1.ApplicationCondition
	count := map[string]int{}
	for _, w := range slices.Concat(c.Plan.Warnings, c.Rendering.Warnings, mergedOnes(c.Plan), unheeded(c.Plan)) {
		if !slices.Contains(warningConditions, w.Reason) {
			continue
		}
		if count[w.Reason] += max(w.More, 1); w.More == 0 && count[w.Reason] <= maxWarnings {
			out = append(out, v1alpha1.ApplicationCondition{Type: w.Reason, Message: w.Message})
		}
	}
	for _, kind := range warningConditions {
		if more := count[kind] - maxWarnings; more > 0 {
			out = append(out, v1alpha1.ApplicationCondition{Type: kind, Message: gitops.More(more)})
		}
	}
	return out
}

// mergedOnes warns of objects that server-side apply does not take.
func mergedOnes(p *gitops.Plan) []gitops.Warning {
	var out []gitops.Warning
	for action := range p.All() {
		if action.Desired == nil || action.Live == nil || !action.Live.Merged {
			continue
		}
		out = append(out, gitops.Warning{
			Reason:  v1alpha1.ApplicationConditionMergedResourceWarning,
			Message: fmt.Sprintf("%s is merged into the live object, as a list in it has elements with equal keys: what leaves the sources stays in the cluster; write each key once", action.Key),
			Origin:  action.Desired.Origin,
		})
	}
	return out
}

// unheeded warns of rules of ignoreDifferences that fail on an object that differs.
func unheeded(p *gitops.Plan) []gitops.Warning {
	var out []gitops.Warning
	for action := range p.All() {
		for _, text := range action.Unheeded {
			out = append(out, gitops.Warning{Reason: v1alpha1.ApplicationConditionIneffectiveOptionWarning, Message: action.Key.String() + ": " + text})
		}
	}
	return out
}
