package application

import (
	"cmp"
	"iter"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/report"
)

var warningConditions = []string{
	v1alpha1.ApplicationConditionSharedResourceWarning,
	v1alpha1.ApplicationConditionRepeatedResourceWarning,
	v1alpha1.ApplicationConditionExcludedResourceWarning,
}

// show writes what was compared into the status. A revision that changes
// nothing the application reads is no reason to write.
func show(app *v1alpha1.Application, c *comparison, now time.Time) {
	status := &app.Status
	before := status.DeepCopy()
	showResources(app, c.plan)
	showSync(app, c)
	showHealth(app, c.plan, now)
	showTypes(status, c)
	status.Summary.Images = images(c.plan)
	status.Summary.IsAppOfApps = slices.ContainsFunc(status.Resources, isApp)
	report.SetConditions(app, warningConditions, warnings(c), now)
	if sameButRevision(before, status) {
		status.Sync.Revision, status.Sync.Revisions = before.Sync.Revision, before.Sync.Revisions
		return
	}
	at := seconds(now)
	status.ReconciledAt = &at
}

// sameButRevision tells whether nothing but the revision moved, in an
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

func showSync(app *v1alpha1.Application, c *comparison) {
	sync := &app.Status.Sync
	sync.Status = v1alpha1.SyncStatusCode(c.plan.Sync)
	sync.ComparedTo = v1alpha1.ComparedTo{Destination: app.Spec.Destination, IgnoreDifferences: app.Spec.IgnoreDifferences}
	if c.multiple {
		sync.ComparedTo.Sources = c.sources
		sync.Revision, sync.Revisions = "", c.revisions
		return
	}
	sync.ComparedTo.Source = c.source()
	sync.Revision, sync.Revisions = first(c.revisions), nil
}

func showTypes(status *v1alpha1.ApplicationStatus, c *comparison) {
	status.SourceType, status.SourceTypes = "", nil
	if !c.multiple {
		if len(c.rendering.Types) > 0 {
			status.SourceType = v1alpha1.ApplicationSourceType(c.rendering.Types[0])
		}
		return
	}
	for _, t := range c.rendering.Types {
		status.SourceTypes = append(status.SourceTypes, v1alpha1.ApplicationSourceType(t))
	}
}

func showResources(app *v1alpha1.Application, p *gitops.Plan) {
	var resources []v1alpha1.ResourceStatus
	for action, wave := range actions(p) {
		if action.Namespace || (action.Hook && action.Live == nil) {
			continue
		}
		resources = append(resources, resource(action, wave.Number))
	}
	slices.SortFunc(resources, func(a, b v1alpha1.ResourceStatus) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	app.Status.Resources = resources
}

func resource(a *gitops.Action, wave int) v1alpha1.ResourceStatus {
	s := v1alpha1.ResourceStatus{
		Group: a.Key.Group, Kind: a.Key.Kind, Namespace: a.Key.Namespace, Name: a.Key.Name,
		Version: version(a), Hook: a.Hook, RequiresPruning: a.Desired == nil,
		Health: health(a), SyncWave: int64(wave),
		RequiresDeletionConfirmation: a.Options.NeedsConfirming,
	}
	if !a.Hook {
		s.Status = v1alpha1.SyncStatusCode(a.Sync)
	}
	return s
}

func version(a *gitops.Action) string {
	if a.Desired != nil {
		return a.Desired.Object.GroupVersionKind().Version
	}
	return a.Live.Version.Version
}

func health(a *gitops.Action) *v1alpha1.HealthStatus {
	h := observe.Item{Key: a.Key, Live: a.Live}.Health()
	if h.Code == "" {
		return nil
	}
	return &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusCode(h.Code), Message: h.Message}
}

// showHealth sums up the objects that count; the time moves with the code.
func showHealth(app *v1alpha1.Application, p *gitops.Plan, now time.Time) {
	var items []observe.Item
	for action := range actions(p) {
		if action.Namespace || action.Desired == nil {
			continue
		}
		items = append(items, observe.Item{Key: action.Key, Live: action.Live, Hook: action.Hook, Ignored: action.Options.IgnoreHealth})
	}
	code := v1alpha1.HealthStatusCode(observe.Sum(items).Code)
	if app.Status.Health.Status == code {
		return
	}
	at := seconds(now)
	app.Status.Health = v1alpha1.AppHealthStatus{Status: code, LastTransitionTime: &at}
}

func images(p *gitops.Plan) []string {
	set := map[string]bool{}
	for action := range actions(p) {
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

func warnings(c *comparison) []v1alpha1.ApplicationCondition {
	var out []v1alpha1.ApplicationCondition
	for _, w := range c.plan.Warnings {
		if slices.Contains(warningConditions, w.Reason) {
			out = append(out, v1alpha1.ApplicationCondition{Type: w.Reason, Message: w.Message})
		}
	}
	return out
}

// actions goes through all actions of a plan, with the wave of each.
func actions(p *gitops.Plan) iter.Seq2[*gitops.Action, *gitops.Wave] {
	return func(yield func(*gitops.Action, *gitops.Wave) bool) {
		for i := range p.Waves {
			for j := range p.Waves[i].Actions {
				if !yield(&p.Waves[i].Actions[j], &p.Waves[i]) {
					return
				}
			}
		}
	}
}
