package application

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
	"github.com/causeway-gitops/causeway/internal/report"
)

// awaits tells whether the operation has to wait for what the application
// depends on, and says so in its message and in a condition. Only the
// beginning waits: what has begun is carried to its end, and drift is healed
// whatever became of a dependency meanwhile.
func (r *Reconciler) awaits(ctx context.Context, out *report.Outcome, t *target, c *comparison) bool {
	st, name := t.app.Status.OperationState, client.ObjectKeyFromObject(t.app)
	var conditions []v1alpha1.ApplicationCondition
	defer func() {
		report.SetConditions(t.app, []string{v1alpha1.ApplicationConditionDependencyWaiting}, conditions, r.Now())
	}()
	if begun(st) || free(st) || st.Operation.InitiatedBy.Automated && r.Waits.Passed(name, c.rendering.Digest) {
		return false
	}
	refs, _, err := r.dependencies(ctx, t.app)
	if err == nil && len(refs) == 0 {
		return false
	}
	text, since := "", fmt.Sprintf(" (since %s)", st.StartedAt.UTC().Format(time.RFC3339))
	if err == nil {
		text, err = r.unsettled(ctx, asking{t, c, r.reachOf(t.app)}, refs)
	}
	if err != nil { // no arrival ends this: what is written has to be mended
		text, since = err.Error(), ""
	}
	if text == "" {
		r.unwait(t)
		return false
	}
	if limit := timeout(refs); limit > 0 {
		left := st.StartedAt.Add(limit).Sub(r.Now())
		if left <= 0 {
			r.unwait(t)
			r.finish(out, t, v1alpha1.OperationFailed, fmt.Sprintf("gave up after %s: %s", limit, text))
			return true
		}
		out.Again(left)
	}
	conditions = []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionDependencyWaiting, Message: text}}
	st.Message = text + since
	return true
}

// awaiting tells that the application shows a wait for dependencies.
func awaiting(app *v1alpha1.Application) bool {
	return slices.ContainsFunc(app.Status.Conditions, func(c v1alpha1.ApplicationCondition) bool {
		return c.Type == v1alpha1.ApplicationConditionDependencyWaiting
	})
}

// begun tells that a sync has written something already.
func begun(st *v1alpha1.OperationState) bool {
	return st.SyncResult != nil && len(st.SyncResult.Resources) > 0
}

// free tells that an operation waits for nothing: it undoes drift, changes
// nothing, or was told not to wait.
func free(st *v1alpha1.OperationState) bool {
	op := syncOf(st)
	return op.SelfHealAttemptsCount > 0 || op.DryRun || slices.ContainsFunc(st.Operation.Info, func(i v1alpha1.Info) bool {
		return i.Name == gitops.InfoIgnoreDependencies && i.Value == "true"
	})
}

// timeout is the shortest one of several dependencies; zero when none has one.
func timeout(refs []depend.Ref) time.Duration {
	var shortest time.Duration
	for _, ref := range refs {
		if ref.Timeout > 0 && (shortest == 0 || ref.Timeout < shortest) {
			shortest = ref.Timeout
		}
	}
	return shortest
}

// listed names the first few.
func listed(texts []string) string {
	const shown = 3
	out := ""
	for i, text := range texts {
		if i == shown {
			return fmt.Sprintf("%s, and %d more", out, len(texts)-shown)
		}
		if i > 0 {
			out += "; "
		}
		out += text
	}
	return out
}

// dependencies are what the application says, and what the set that made it
// says for all of its applications, and how many bytes were read for that.
func (r *Reconciler) dependencies(ctx context.Context, app *v1alpha1.Application) (refs []depend.Ref, read int, err error) {
	text := app.Annotations[gitops.AnnotationDependsOn]
	refs, err = depend.Parse(text)
	if err != nil {
		return nil, len(text), err
	}
	owner := ownerSet(app)
	if owner == "" {
		return refs, len(text), nil
	}
	set, err := r.Apps.set(ctx, app.Namespace, owner)
	if err != nil {
		return refs, len(text), client.IgnoreNotFound(err)
	}
	its := set.Annotations[gitops.AnnotationDependsOn]
	more, err := depend.Parse(its)
	return append(refs, more...), len(text) + len(its), err
}

// ownerSet is the ApplicationSet that made an application, if any.
func ownerSet(app *v1alpha1.Application) string {
	for _, ref := range app.OwnerReferences {
		if ref.Kind == v1alpha1.ApplicationSetKind && ref.Controller != nil && *ref.Controller {
			return ref.Name
		}
	}
	return ""
}

// unsettled tells which dependencies are not there or not healthy, and nothing
// when none is waited for. Dependencies that can never be met are an error.
func (r *Reconciler) unsettled(ctx context.Context, by asking, refs []depend.Ref) (string, error) {
	if err := r.watchFor(ctx, by, refs); err != nil {
		return "", err
	}
	held := r.unmet(ctx, by, refs)
	if len(held) == 0 {
		return "", nil
	}
	return "waiting for " + listed(held), nil
}

// unwait forgets what an application waited for.
func (r *Reconciler) unwait(t *target) {
	r.Waits.Set(client.ObjectKeyFromObject(t.app), nil)
	r.Fleet.Unheed(t.tracking)
}

// watchFor watches what dependencies are about, before they are looked at, and
// nothing else that the application depended on: each look says all of it.
func (r *Reconciler) watchFor(ctx context.Context, by asking, refs []depend.Ref) error {
	r.Fleet.Unheed(by.tracking)
	r.Waits.Set(client.ObjectKeyFromObject(by.app), r.watched(by, refs))
	if circle := r.circle(ctx, by.app); circle != "" {
		return gitops.Problemf(gitops.Invalid, "cannot begin: dependencies go in a circle: %s", circle).
			Do("take one of them out of the annotation " + gitops.AnnotationDependsOn)
	}
	return nil
}

// unmet are the dependencies that are not there or not healthy, each in a few words.
func (r *Reconciler) unmet(ctx context.Context, by asking, refs []depend.Ref) []string {
	var held []string
	for _, ref := range refs {
		if ref.Own() {
			held = append(held, r.unmetOwn(ctx, by, ref)...)
			continue
		}
		held = append(held, r.unmetObjects(ctx, by.target, ref)...)
	}
	return held
}

// watched are the objects whose changes wake the application. What it may not
// look at wakes nobody.
func (r *Reconciler) watched(by asking, refs []depend.Ref) []Wait {
	var waits []Wait
	for _, ref := range refs {
		if ref.Own() {
			waits = append(waits, by.within.watched(ref, by.app.Namespace)...)
			continue
		}
		waits = append(waits, r.watchedObjects(by.target, ref)...)
	}
	return waits
}

// watched are the Applications and sets that a ref means. Of a namespace that
// is not within reach as a whole, those of the project wake alone.
func (w reach) watched(ref depend.Ref, own string) []Wait {
	wait := Wait{Server: gitops.HubServer, Key: gitops.Key{Group: ref.Group, Kind: ref.Kind, Namespace: cmp.Or(ref.Namespace, own), Name: ref.Name}}
	if !w.all(wait.Key.Namespace) {
		wait.Project = w.project
	}
	if ref.Kind != v1alpha1.ApplicationSetKind {
		return []Wait{wait}
	}
	its := wait // its applications count, too
	its.Key.Kind, its.Key.Name = v1alpha1.ApplicationKind, ""
	return []Wait{wait, its}
}

// watchedObjects are those on a cluster. While nobody knows whether the kind
// is namespaced, it may be either.
func (r *Reconciler) watchedObjects(t *target, ref depend.Ref) []Wait {
	cluster, err := r.placed(t, ref)
	if err != nil {
		return nil
	}
	var waits []Wait
	namespaced, known := cluster.Scope()(ref.Group, ref.Kind)
	for _, either := range []bool{true, false} {
		if known && namespaced != either || t.permitsKind(ref, either) != nil {
			continue
		}
		key := gitops.Key{Group: ref.Group, Kind: ref.Kind, Name: ref.Name}
		if either {
			key.Namespace = r.namespaceOf(t, ref)
		}
		waits = append(waits, Wait{Server: cluster.Desc().Server, Key: key})
	}
	return waits
}

// dependent is an object of a wave with what it depends on.
type dependent struct {
	key  gitops.Key
	refs []depend.Ref
}

// waveAwaits holds back a wave with objects that depend on something which is
// not there or not healthy.
func (r *Reconciler) waveAwaits(ctx context.Context, t *target, a *attempt, step plan.Step) (plan.Step, bool) {
	since := a.waits
	a.waits = time.Time{}
	if step.Wave == nil || step.Again || free(t.app.Status.OperationState) {
		return step, false
	}
	all, held := dependents(step)
	if len(held) == 0 && len(all) == 0 {
		return step, false
	}
	if len(held) == 0 {
		held = r.waveUnmet(ctx, t, a, step, all)
	}
	if len(held) == 0 {
		r.unwait(t)
		return step, false
	}
	a.waits = cmp.Or(since, r.Now())
	return r.waveGivesUp(a, all, plan.Step{Waiting: held}), true
}

// dependents are the objects of a wave that depend on something, or those
// whose dependencies cannot be read. Applications and sets wait by themselves.
func dependents(step plan.Step) (all []dependent, broken []plan.Waiting) {
	for i := range step.Wave.Actions {
		action := &step.Wave.Actions[i]
		if action.Desired == nil || action.Verb == gitops.Keep || action.Verb == gitops.Skip || isAppOrSet(action.Key) {
			continue
		}
		refs, err := depend.Parse(action.Desired.Object.GetAnnotations()[gitops.AnnotationDependsOn])
		switch {
		case err != nil:
			broken = append(broken, holding(action.Key, step, err.Error()))
		case len(refs) > 0:
			all = append(all, dependent{action.Key, refs})
		}
	}
	return all, broken
}

// waveUnmet tells of each object of a wave what it waits for.
func (r *Reconciler) waveUnmet(ctx context.Context, t *target, a *attempt, step plan.Step, all []dependent) []plan.Waiting {
	var held []plan.Waiting
	for _, d := range all {
		if later := comesLater(a, step, d.refs); later != "" {
			held = append(held, holding(d.key, step, later))
		}
	}
	if len(held) > 0 {
		return held
	}
	by := asking{target: t, within: r.reachOfFiles(t.app)}
	if err := r.watchFor(ctx, by, refsOf(all)); err != nil {
		return []plan.Waiting{holding(all[0].key, step, err.Error())}
	}
	for _, d := range all {
		if unmet := r.unmet(ctx, by, d.refs); len(unmet) > 0 {
			held = append(held, holding(d.key, step, "it is waiting for "+listed(unmet)))
		}
	}
	return held
}

func refsOf(all []dependent) []depend.Ref {
	var out []depend.Ref
	for _, d := range all {
		out = append(out, d.refs...)
	}
	return out
}

// waveGivesUp ends a sync whose wave has waited for as long as its objects say.
func (r *Reconciler) waveGivesUp(a *attempt, all []dependent, held plan.Step) plan.Step {
	limit := timeout(refsOf(all))
	if limit == 0 {
		return held
	}
	if r.Now().Before(a.waits.Add(limit)) {
		held.Again = true
		return held
	}
	w := held.Waiting[0]
	return plan.Step{Done: true, Failed: true, Errors: []error{fmt.Errorf("gave up on %s after %s: %s", w.Key, limit, w.Health.Message)}}
}

func isAppOrSet(k gitops.Key) bool {
	return k.Group == v1alpha1.Group && (k.Kind == v1alpha1.ApplicationKind || k.Kind == v1alpha1.ApplicationSetKind)
}

func holding(by gitops.Key, step plan.Step, why string) plan.Waiting {
	return plan.Waiting{Key: by, Phase: step.Wave.Phase, Wave: step.Wave.Number, Health: gitops.Health{Code: gitops.Progressing, Message: why}}
}

// comesLater tells of a dependency that the same sync would bring in this wave
// or after it: it would be waited for in vain.
func comesLater(a *attempt, step plan.Step, refs []depend.Ref) string {
	reached := false
	for i := range a.plan.Waves {
		w := &a.plan.Waves[i]
		reached = reached || w.Phase == step.Wave.Phase && w.Number == step.Wave.Number
		if !reached {
			continue
		}
		for j := range w.Actions {
			action := &w.Actions[j]
			if action.Desired == nil || action.Verb != gitops.Create {
				continue
			}
			for _, ref := range refs {
				if ref.Cluster == "" && ref.Name == action.Key.Name && ref.Kind == action.Key.Kind && ref.Group == action.Key.Group &&
					(ref.Namespace == "" || ref.Namespace == action.Key.Namespace) {
					return fmt.Sprintf("it depends on %s, which this sync brings no earlier than it: give that a lower wave than %d", ref, w.Number)
				}
			}
		}
	}
	return ""
}
