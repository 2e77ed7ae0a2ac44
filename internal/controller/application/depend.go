package application

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/dependency"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/report"
)

// depends reports whether the operation has to wait for what the application
// depends on, and says so in its message and in a condition. Only the
// beginning waits: what has begun is carried to its end, and drift is healed
// whatever became of a dependency meanwhile.
func (r *Reconciler) depends(ctx context.Context, out *report.Outcome, t *state.Target, c *state.Comparison) bool {
	st, name := t.App.Status.OperationState, client.ObjectKeyFromObject(t.App)
	var conditions []v1alpha1.ApplicationCondition
	defer func() {
		report.SetConditions(t.App, []string{v1alpha1.ApplicationConditionDependencyWaiting}, conditions, r.Now())
	}()
	if opstate.Begun(st) || opstate.Free(st) || st.Operation.InitiatedBy.Automated && r.Dependencies.Passed(name, c.Rendering.Digest) {
		return false
	}
	checker, by := r.dependencies(), asker(t)
	by.Compared, by.Revisions = true, c.Revisions
	refs, err := checker.Of(ctx, t.App)
	if err == nil && len(refs) == 0 {
		return false
	}
	text, since := "", fmt.Sprintf(" (since %s)", st.StartedAt.UTC().Format(time.RFC3339))
	if err == nil {
		text, err = checker.Unsettled(ctx, by, refs)
	}
	if err != nil { // no arrival ends this: what is written has to be mended
		text, since = err.Error(), ""
	}
	if text == "" {
		checker.Forget(by)
		return false
	}
	if limit := dependency.Timeout(refs); limit > 0 {
		left := st.StartedAt.Add(limit).Sub(r.Now())
		if left <= 0 {
			checker.Forget(by)
			r.finish(out, t, v1alpha1.OperationFailed, fmt.Sprintf("gave up after %s: %s", limit, text))
			return true
		}
		out.Again(left)
	}
	conditions = []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionDependencyWaiting, Message: text}}
	st.Message = text + since
	return true
}

// waveDepends holds back a wave with objects that depend on something which is
// not there or not healthy.
func (r *Reconciler) waveDepends(ctx context.Context, t *state.Target, a *state.Attempt, step plan.Step) (plan.Step, bool) {
	since := a.DependsSince
	a.DependsSince = time.Time{}
	if step.Wave == nil || step.Again || opstate.Free(t.App.Status.OperationState) {
		return step, false
	}
	unmet, ok := r.dependencies().Holds(ctx, asker(t), dependency.Wave{Plan: a.Plan, Step: step, Since: since})
	a.DependsSince = unmet.Since
	if !ok {
		return step, false
	}
	return unmet.Step, true
}

func (r *Reconciler) dependencies() *dependency.Checker {
	return &dependency.Checker{
		Namespace: r.Namespace, Apps: r.Apps, Places: places{r.comparer(), r.Fleet}, Register: r.Dependencies, Checks: r.Checks, Looks: r.Looks, Now: r.Now,
	}
}

func asker(t *state.Target) *dependency.Asker {
	return &dependency.Asker{App: t.App, Project: t.Project, Cluster: t.Cluster, Tracking: t.Tracking, Scoped: t.Scoped, Sources: t.Sources}
}

// places are the clusters of the fleet, for those who depend on something there.
type places struct {
	comparer *compare.Comparer[state.Cluster]
	fleet    state.Fleet
}

// Resolve implements dependency.Places.
func (p places) Resolve(d v1alpha1.ApplicationDestination) (dependency.Cluster, []gitops.Cluster, error) {
	return p.comparer.Resolve(d)
}

// OnHub implements dependency.Places.
func (p places) OnHub(app *v1alpha1.Application) bool {
	cluster, err := p.fleet.Resolve(app.Spec.Destination)
	return err == nil && gitops.IsHub(cluster.Desc().Server)
}

// RulesOf implements dependency.Places.
func (p places) RulesOf(ctx context.Context, app *v1alpha1.Application) *policy.Question {
	cluster, err := p.fleet.Resolve(app.Spec.Destination)
	if err != nil {
		return nil
	}
	return p.comparer.RulesOf(ctx, app, cluster)
}

// Unheed implements dependency.Places.
func (p places) Unheed(tracking string) { p.fleet.Unheed(tracking) }
