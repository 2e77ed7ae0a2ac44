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
	refs, err := r.dependencies(ctx, t.app)
	if err == nil && len(refs) == 0 {
		return false
	}
	text, since := "", fmt.Sprintf(" (since %s)", st.StartedAt.UTC().Format(time.RFC3339))
	if err == nil {
		text, err = r.unsettled(ctx, t, c, refs)
	}
	if err != nil { // no arrival ends this: what is written has to be mended
		text, since = err.Error(), ""
	}
	if text == "" {
		r.Waits.Set(name, nil)
		return false
	}
	if limit := timeout(refs); limit > 0 {
		left := st.StartedAt.Add(limit).Sub(r.Now())
		if left <= 0 {
			r.Waits.Set(name, nil)
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
// says for all of its applications.
func (r *Reconciler) dependencies(ctx context.Context, app *v1alpha1.Application) ([]depend.Ref, error) {
	refs, err := depend.Parse(app.Annotations[gitops.AnnotationDependsOn])
	if err != nil {
		return nil, err
	}
	owner := ownerSet(app)
	if owner == "" {
		return refs, nil
	}
	set, err := r.Apps.set(ctx, app.Namespace, owner)
	if err != nil {
		return refs, client.IgnoreNotFound(err)
	}
	more, err := depend.Parse(set.Annotations[gitops.AnnotationDependsOn])
	return append(refs, more...), err
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
// when none is waited for. What they are about is watched from before they are
// looked at. Dependencies that can never be met are an error.
func (r *Reconciler) unsettled(ctx context.Context, t *target, c *comparison, refs []depend.Ref) (string, error) {
	r.Waits.Set(client.ObjectKeyFromObject(t.app), r.watched(t, refs))
	if circle := r.circle(ctx, t.app); circle != "" {
		return "", gitops.Problemf(gitops.Invalid, "cannot begin: dependencies go in a circle: %s", circle).
			Do("take one of them out of the annotation " + gitops.AnnotationDependsOn)
	}
	held := r.unmet(ctx, t, c, refs)
	if len(held) == 0 {
		return "", nil
	}
	return "waiting for " + listed(held), nil
}

// unmet are the dependencies that are not there or not healthy, each in a few words.
func (r *Reconciler) unmet(ctx context.Context, t *target, c *comparison, refs []depend.Ref) []string {
	var held []string
	for _, ref := range refs {
		if ref.Own() {
			held = append(held, r.unmetOwn(ctx, t, c, ref)...)
			continue
		}
		held = append(held, r.unmetObjects(ctx, t, ref)...)
	}
	return held
}

// watched are the objects whose changes wake the application.
func (r *Reconciler) watched(t *target, refs []depend.Ref) []Wait {
	var waits []Wait
	for _, ref := range refs {
		key := gitops.Key{Group: ref.Group, Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}
		server := t.cluster.Desc().Server
		switch {
		case ref.Own():
			server, key.Namespace = gitops.HubServer, cmp.Or(ref.Namespace, t.app.Namespace)
			if ref.Kind == v1alpha1.ApplicationSetKind { // its applications count, too
				waits = append(waits, Wait{server, gitops.Key{Group: v1alpha1.Group, Kind: v1alpha1.ApplicationKind, Namespace: key.Namespace}})
			}
		case ref.Cluster != "":
			if other, err := r.clusterOf(t, ref); err == nil {
				server = other.Desc().Server
			}
		}
		if !ref.Own() {
			key.Namespace = r.namespaceOf(t, ref)
			waits = append(waits, Wait{server, gitops.Key{Group: key.Group, Kind: key.Kind, Name: key.Name}}) // of no namespace
		}
		waits = append(waits, Wait{server, key})
	}
	return waits
}

// waveAwaits holds back a wave with an object that depends on something which
// is not there or not healthy.
func (r *Reconciler) waveAwaits(ctx context.Context, t *target, a *attempt, step plan.Step) (plan.Step, bool) {
	if step.Wave == nil || step.Again || free(t.app.Status.OperationState) {
		return step, false
	}
	var refs []depend.Ref
	var by gitops.Key
	for i := range step.Wave.Actions {
		action := &step.Wave.Actions[i]
		if action.Desired == nil || action.Verb == gitops.Keep || action.Verb == gitops.Skip {
			continue
		}
		text := action.Desired.Object.GetAnnotations()[gitops.AnnotationDependsOn]
		if text == "" || isAppOrSet(action.Key) { // those wait by themselves
			continue
		}
		more, err := depend.Parse(text)
		if err != nil {
			return holding(action.Key, step, err.Error()), true
		}
		refs, by = append(refs, more...), action.Key
	}
	if len(refs) == 0 {
		return step, false
	}
	if later := comesLater(a, step, refs); later != "" {
		return holding(by, step, later), true
	}
	why, err := r.unsettled(ctx, t, nil, refs)
	if err != nil {
		return holding(by, step, err.Error()), true
	}
	if why != "" {
		return holding(by, step, "it is "+why), true
	}
	r.Waits.Set(client.ObjectKeyFromObject(t.app), nil)
	return step, false
}

func isAppOrSet(k gitops.Key) bool {
	return k.Group == v1alpha1.Group && (k.Kind == v1alpha1.ApplicationKind || k.Kind == v1alpha1.ApplicationSetKind)
}

func holding(by gitops.Key, step plan.Step, why string) plan.Step {
	return plan.Step{Waiting: []plan.Waiting{{
		Key: by, Phase: step.Wave.Phase, Wave: step.Wave.Number, Health: gitops.Health{Code: gitops.Progressing, Message: why},
	}}}
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
