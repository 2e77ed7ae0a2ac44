package applicationset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/comparisons"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/policy/rollout"
	"github.com/causeway-gitops/causeway/internal/report"
)

// roller carries out the RollingSync of one set in one reconcile.
type roller struct {
	*Reconciler

	set   *v1alpha1.ApplicationSet
	steps []v1alpha1.ApplicationSetRolloutStep
	// wanted are the generated Applications as their template has them.
	wanted map[string]wanted
	// veiled tells that names of Applications may come from clusters; live are those that
	// there were before this reconcile, by name.
	veiled bool
	live   map[string]*v1alpha1.Application
	now    time.Time
}

// wanted is what a roll-out needs to know of a generated Application.
type wanted struct {
	labels map[string]string
	policy *v1alpha1.SyncPolicy
}

// roller returns nil for a set that does not roll out in steps. For one that
// does, it takes the automated sync out of the generated Applications: the
// roll-out asks for their syncs, as in Argo CD.
func (r *Reconciler) roller(set *v1alpha1.ApplicationSet, e *generate.Expansion) (*roller, error) {
	steps, err := rollout.Of(set)
	if err != nil {
		return nil, err
	}
	if len(steps) == 0 {
		r.Rollouts.forget(client.ObjectKeyFromObject(set))
		set.Status.ApplicationStatus = nil
		set.Status.Conditions = slices.DeleteFunc(set.Status.Conditions, func(c v1alpha1.ApplicationSetCondition) bool {
			return c.Type == v1alpha1.ApplicationSetConditionRolloutProgressing
		})
		return nil, nil //nolint:nilnil // absence is a value here
	}
	o := &roller{Reconciler: r, set: set, steps: steps, wanted: make(map[string]wanted, len(e.Applications)), veiled: e.Reads.Clusters, now: r.Now()}
	for i := range e.Applications {
		app := &e.Applications[i]
		o.wanted[app.Name] = wanted{app.Labels, app.Spec.SyncPolicy}
		rollout.ByHand(app)
	}
	return o, nil
}

// roll moves the roll-out on: it writes into the set's status how far each
// Application is, and asks for the syncs that are due. Trouble is what else
// went wrong with the set.
func (o *roller) roll(ctx context.Context, out *report.Outcome, owned []v1alpha1.Application, c *generate.Changes, trouble error) error {
	if o == nil {
		return nil
	}
	byName := gitops.ByName(owned)
	decision := rollout.Advance(rollout.Input{
		Steps: o.steps, Apps: o.apps(byName, c, out), Before: o.Rollouts.entries(o.set), Paused: rollout.Paused(o.set), Now: o.now,
	})
	o.Rollouts.keep(o.set, decision.Entries)
	o.set.Status.ApplicationStatus = decision.Entries
	o.live = byName
	o.condition(decision, trouble)
	var errs []error
	for _, name := range decision.Sync {
		err := o.ask(ctx, byName[name])
		if apierrors.IsConflict(err) {
			out.Again(conflictPause) // the cache is behind; its event comes
			continue
		}
		errs = append(errs, client.IgnoreNotFound(err))
	}
	return errors.Join(errs...)
}

// conflictPause is how soon an Application is looked at again that was
// written by someone else just now.
const conflictPause = time.Second

func (o *roller) apps(byName map[string]*v1alpha1.Application, c *generate.Changes, out *report.Outcome) []rollout.App {
	respecified := map[string]bool{}
	for i := range c.Update {
		if old := byName[c.Update[i].Name]; old != nil && !equality.Semantic.DeepEqual(old.Spec, c.Update[i].Spec) {
			respecified[old.Name] = true
		}
	}
	apps := make([]rollout.App, 0, len(o.wanted))
	for name, w := range o.wanted {
		app := byName[name]
		if app == nil || !app.DeletionTimestamp.IsZero() {
			apps = append(apps, rollout.App{Name: name, Labels: w.labels})
			continue
		}
		if app.Outlined != "" {
			apps = append(apps, rollout.App{Name: name, Labels: w.labels, Exists: true, Failure: app.Outlined})
			continue
		}
		seen := o.seen(app, w, out)
		seen.Changed = respecified[name]
		apps = append(apps, seen)
	}
	return apps
}

// seen is what there is to know of a live Application.
func (o *roller) seen(app *v1alpha1.Application, w wanted, out *report.Outcome) rollout.App {
	l, looked := o.Looks.Of(client.ObjectKeyFromObject(app), app.UID)
	status := &app.Status
	a := rollout.App{
		Name: app.Name, Labels: w.labels, Exists: true,
		Fresh:     looked && comparedToSpec(app) && l.Sync == status.Sync.Status,
		Revisions: revisionsOf(app),
		Seen:      seenIn(l),
		Synced:    status.Sync.Status == v1alpha1.SyncStatusCodeSynced,
		Healthy:   status.Health.Status == v1alpha1.HealthStatusHealthy && (!looked || l.Health == v1alpha1.HealthStatusHealthy),
		Busy:      operation.Busy(app),
		Held:      heldFor(app),
		Failure:   failureOf(app),
	}
	a.Due = status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync && !tried(app, revisionsOf(app)) && !tried(app, l.Revisions())
	if op := latest(app); op != nil {
		a.Ours = op.InitiatedBy.Username == v1alpha1.ApplicationSetInitiator
	}
	if status.OperationState != nil && app.Operation == nil {
		a.Started = status.OperationState.StartedAt.Time
	}
	a.Drifted = o.drifted(app, w, &a, out)
	return a
}

// seenIn are the sources of a comparison.
func seenIn(l comparisons.Comparison) []rollout.Seen {
	all := make([]rollout.Seen, 0, len(l.Sources))
	for _, s := range l.Sources {
		all = append(all, rollout.Seen{Source: rollout.Source{RepoURL: s.RepoURL, Chart: s.Chart, Wanted: s.Wanted}, Revision: s.Revision})
	}
	return all
}

// healPause is how long after a sync drift is left alone: something may change
// the objects back all the time.
const healPause = time.Minute

// drifted reports whether drift is to be undone now, which the template asks for
// by selfHeal.
func (o *roller) drifted(app *v1alpha1.Application, w wanted, a *rollout.App, out *report.Outcome) bool {
	st := app.Status.OperationState
	if !w.policy.AutomatedSelfHeal() || a.Synced || a.Due || a.Busy || !st.Succeeded() || st.FinishedAt == nil {
		return false
	}
	if wait := st.FinishedAt.Add(healPause).Sub(o.now); wait > 0 {
		out.Again(wait)
		return false
	}
	return true
}

// comparedToSpec reports whether the status speaks of the sources and the
// destination that the spec has now.
func comparedToSpec(app *v1alpha1.Application) bool {
	c := app.Status.Sync.ComparedTo
	if app.Status.Sync.Status == "" || app.Status.Sync.Status == v1alpha1.SyncStatusCodeUnknown {
		return false
	}
	sources := c.Sources
	if !app.Spec.HasMultipleSources() {
		sources = v1alpha1.ApplicationSources{c.Source}
	}
	return equality.Semantic.DeepEqual(sources, app.Spec.GetSources()) && equality.Semantic.DeepEqual(c.Destination, app.Spec.Destination)
}

// latest is the operation that is asked for, or the last one.
func latest(app *v1alpha1.Application) *v1alpha1.Operation {
	if app.Operation != nil {
		return app.Operation
	}
	if app.Status.OperationState != nil {
		return &app.Status.OperationState.Operation
	}
	return nil
}

// tried reports whether the latest sync was, or is, one of these revisions of
// the sources that the Application has.
func tried(app *v1alpha1.Application, revisions []string) bool {
	if op := app.Operation; op != nil {
		return op.Sync != nil && slices.Equal(named(op.Sync.Revision, op.Sync.Revisions), revisions)
	}
	st := app.Status.OperationState
	if st == nil || st.SyncResult == nil {
		return false
	}
	sources := st.SyncResult.Sources
	if !app.Spec.HasMultipleSources() {
		sources = v1alpha1.ApplicationSources{st.SyncResult.Source}
	}
	return slices.Equal(named(st.SyncResult.Revision, st.SyncResult.Revisions), revisions) && alike(sources, app.Spec.GetSources())
}

func named(one string, many []string) []string {
	if len(many) > 0 || one == "" {
		return many
	}
	return []string{one}
}

// alike compares sources but for the revision that they want: an operation
// names the one that was resolved.
func alike(a, b v1alpha1.ApplicationSources) bool {
	return slices.EqualFunc(a, b, func(x, y v1alpha1.ApplicationSource) bool {
		x.TargetRevision, y.TargetRevision = "", ""
		return equality.Semantic.DeepEqual(x, y)
	})
}

// heldFor is what a sync says it waits for that has not begun.
func heldFor(app *v1alpha1.Application) string {
	st := app.Status.OperationState
	if app.Operation != nil || !st.Proceeds() || st.SyncResult != nil && len(st.SyncResult.Resources) > 0 {
		return ""
	}
	return gitops.First(st.Message, mostOfOthers)
}

// failureOf tells why an Application cannot be compared, or why its latest
// sync has ended without success.
func failureOf(app *v1alpha1.Application) string {
	for _, c := range app.Status.Conditions {
		switch c.Type {
		case v1alpha1.ApplicationConditionInvalidSpecError, v1alpha1.ApplicationConditionComparisonError, v1alpha1.ApplicationConditionUnknownError:
			return gitops.First(c.Message, mostOfOthers)
		}
	}
	if st := app.Status.OperationState; st.Failed() {
		return "its sync failed: " + gitops.First(st.Message, mostOfOthers)
	}
	return ""
}

// ask writes the operation. The lock sees to it that it is asked for once:
// a cache that is behind makes a conflict.
func (o *roller) ask(ctx context.Context, app *v1alpha1.Application) error {
	to := app.DeepCopy()
	to.Operation = o.operation(app)
	o.Seal.Ask(app.UID, to.Operation, operation.NewRequest(o.now))
	err := o.Client.Patch(ctx, to, client.MergeFromWithOptions(app, client.MergeFromWithOptimisticLock{}))
	if err != nil {
		return fmt.Errorf("cannot ask for the sync of application %s: %w", app.Name, err)
	}
	o.Log.InfoContext(ctx, "sync asked for", "applicationset", o.set.Name, "app", app.Name, "revisions", revisionsOf(app))
	return nil
}

// retries is how often the sync is tried again where the template says nothing.
const retries = 5

// operation names the revisions that were compared: a later commit goes
// through the steps by itself.
func (o *roller) operation(app *v1alpha1.Application) *v1alpha1.Operation {
	policy := o.wanted[app.Name].policy
	op := &v1alpha1.Operation{
		InitiatedBy: v1alpha1.OperationInitiator{Username: v1alpha1.ApplicationSetInitiator, Automated: true},
		Info:        []v1alpha1.Info{{Name: "Reason", Value: "RollingSync of ApplicationSet " + o.set.Name}},
		Sync:        &v1alpha1.SyncOperation{Prune: policy.AutomatedPrune(), SyncOptions: policy.Options()},
		Retry:       v1alpha1.RetryStrategy{Limit: retries},
	}
	if policy != nil && policy.Retry != nil {
		op.Retry = *policy.Retry
	}
	l, _ := o.Looks.Of(client.ObjectKeyFromObject(app), app.UID)
	revisions := l.Revisions()
	switch {
	case app.Spec.HasMultipleSources():
		op.Sync.Revisions = revisions
	case len(revisions) > 0:
		op.Sync.Revision = revisions[0]
	}
	return op
}

// Reasons of the condition RolloutProgressing besides Argo CD's.
const reasonPaused = "RolloutPaused"

// condition shows the step that the roll-out is at.
func (o *roller) condition(d rollout.Decision, trouble error) {
	if d.Step == 0 && trouble != nil {
		notComplete(o.set, trouble, o.now)
		return
	}
	kind, isTrue := v1alpha1.ApplicationSetConditionRolloutProgressing, v1alpha1.ApplicationSetConditionStatusTrue
	if d.Step == 0 {
		report.SetSetCondition(o.set, kind, v1alpha1.ApplicationSetConditionStatusFalse, v1alpha1.ApplicationSetReasonApplicationSetRolloutComplete,
			"The roll-out is complete", o.now)
		return
	}
	reason, words := v1alpha1.ApplicationSetReasonApplicationSetModified, "is rolled out"
	if rollout.Paused(o.set) {
		reason, words = reasonPaused, "is paused"
	}
	report.SetSetCondition(o.set, kind, isTrue, reason, fmt.Sprintf("Step %d of %d %s: it waits for %s", d.Step, len(o.steps), words, o.names(d.Holding)), o.now)
}

// names names the first few Applications that a step waits for. Of those that are not
// there yet the status says nothing either: their names may come from clusters that who
// reads it may not.
func (o *roller) names(holding []string) string {
	missing := func(name string) bool { return o.veiled && o.live[name] == nil }
	there := slices.DeleteFunc(slices.Clone(holding), missing)
	n := len(holding) - len(there)
	switch {
	case n == 0:
		return some(there)
	case len(there) == 0:
		return gitops.Count(n, "application") + " yet to be created"
	}
	return some(there) + " and " + gitops.Count(n, "application") + " yet to be created"
}

// stalled tells of a set whose Applications could not be worked out that its
// roll-out is not complete. The step that it is at stays.
func stalled(set *v1alpha1.ApplicationSet, err error, now time.Time) {
	steps, wrong := rollout.Of(set)
	atStep := slices.ContainsFunc(set.Status.Conditions, func(c v1alpha1.ApplicationSetCondition) bool {
		return c.Type == v1alpha1.ApplicationSetConditionRolloutProgressing && c.Status == v1alpha1.ApplicationSetConditionStatusTrue
	})
	if wrong == nil && len(steps) > 0 && !atStep {
		notComplete(set, err, now)
	}
}

func notComplete(set *v1alpha1.ApplicationSet, err error, now time.Time) {
	report.SetSetCondition(set, v1alpha1.ApplicationSetConditionRolloutProgressing, v1alpha1.ApplicationSetConditionStatusFalse,
		v1alpha1.ApplicationSetReasonErrorOccurred, "Nothing is rolled out, the set has an error: "+err.Error(), now)
}

// some names the first few.
func some(names []string) string {
	const shown = 3
	return gitops.Listed(names, shown)
}
