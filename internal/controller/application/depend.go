package application

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
	"github.com/causeway-gitops/causeway/internal/report"
)

// depends reports whether the operation has to wait for what the application
// depends on, and says so in its message and in a condition. Only the
// beginning waits: what has begun is carried to its end, and drift is healed
// whatever became of a dependency meanwhile.
func (r *Reconciler) depends(ctx context.Context, out *report.Outcome, t *target, c *comparison) bool {
	st, name := t.App.Status.OperationState, client.ObjectKeyFromObject(t.App)
	var conditions []v1alpha1.ApplicationCondition
	defer func() {
		report.SetConditions(t.App, []string{v1alpha1.ApplicationConditionDependencyWaiting}, conditions, r.Now())
	}()
	if begun(st) || free(st) || st.Operation.InitiatedBy.Automated && r.Dependencies.Passed(name, c.Rendering.Digest) {
		return false
	}
	refs, _, err := r.dependencies(ctx, t.App)
	if err == nil && len(refs) == 0 {
		return false
	}
	text, since := "", fmt.Sprintf(" (since %s)", st.StartedAt.UTC().Format(time.RFC3339))
	if err == nil {
		text, err = r.unsettled(ctx, asking{t, c, r.reachOf(t.App), new(int)}, refs)
	}
	if err != nil { // no arrival ends this: what is written has to be mended
		text, since = err.Error(), ""
	}
	if text == "" {
		r.forgetDependencies(t)
		return false
	}
	if limit := timeout(refs); limit > 0 {
		left := st.StartedAt.Add(limit).Sub(r.Now())
		if left <= 0 {
			r.forgetDependencies(t)
			r.finish(out, t, v1alpha1.OperationFailed, fmt.Sprintf("gave up after %s: %s", limit, text))
			return true
		}
		out.Again(left)
	}
	conditions = []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionDependencyWaiting, Message: text}}
	st.Message = text + since
	return true
}

// awaitsDependencies tells that the application shows a wait for dependencies.
func awaitsDependencies(app *v1alpha1.Application) bool {
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

// mostShown is how many of several texts a message has.
const mostShown = 3

// few are the first of some texts, and how many there are.
type few struct {
	first []string
	all   int
}

func fewOf(texts []string) few {
	return few{slices.Clone(texts[:min(len(texts), mostShown)]), len(texts)}
}

// and adds others.
func (f few) and(others few) few {
	out := fewOf(append(f.first, others.first...))
	out.all = f.all + others.all
	return out
}

func (f few) String() string {
	out := strings.Join(f.first, "; ")
	if more := f.all - len(f.first); more > 0 {
		out += ", " + gitops.More(more)
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
	if owner == "" || app.Namespace != r.Namespace { // what says elsewhere that a set owns it is none of the set's
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
	return "waiting for " + fewOf(held).String(), nil
}

// forgetDependencies forgets what an application waited for.
func (r *Reconciler) forgetDependencies(t *target) {
	r.Dependencies.Set(client.ObjectKeyFromObject(t.App), nil)
	r.Fleet.Unheed(t.Tracking)
}

// watchFor watches what dependencies are about, before they are looked at, and
// nothing else that the application depended on: each look says all of it.
func (r *Reconciler) watchFor(ctx context.Context, by asking, refs []depend.Ref) error {
	r.Fleet.Unheed(by.Tracking)
	r.Dependencies.Set(client.ObjectKeyFromObject(by.App), r.watched(by, refs))
	if circle := r.circle(ctx, by.App); circle != "" {
		return gitops.Problemf(gitops.Invalid, "cannot begin: dependencies go in a circle: %s", circle).
			Do("take one of them out of the annotation " + gitops.AnnotationDependsOn)
	}
	return nil
}

// unmet are the dependencies that are not there or not healthy, each in a few words.
func (r *Reconciler) unmet(ctx context.Context, by asking, refs []depend.Ref) []string {
	var held []string
	for _, ref := range refs {
		held = append(held, r.unmetBy(ctx, by, ref)...)
	}
	return held
}

// unmetBy is unmet for one dependency. Nobody is asked any more when the look is over:
// what is not known to be ready is not.
func (r *Reconciler) unmetBy(ctx context.Context, by asking, ref depend.Ref) []string {
	switch err := ctx.Err(); {
	case err != nil:
		return []string{fmt.Sprintf("%s: %v", ref, err)}
	case ref.Own():
		return r.unmetOwn(ctx, by, ref)
	}
	return r.unmetObjects(ctx, by.target, ref)
}

// watched are the objects whose changes wake the application. What it may not
// look at wakes nobody.
func (r *Reconciler) watched(by asking, refs []depend.Ref) []Dependency {
	var waits []Dependency
	for _, ref := range refs {
		if ref.Own() {
			waits = append(waits, by.within.watched(ref, by.App.Namespace)...)
			continue
		}
		waits = append(waits, r.watchedObjects(by.target, ref)...)
	}
	return waits
}

// watched are the Applications and sets that a ref means. Of a namespace that
// is not within reach as a whole, those of the project wake alone.
func (w reach) watched(ref depend.Ref, own string) []Dependency {
	wait := Dependency{Server: gitops.HubServer, Key: gitops.Key{Group: ref.Group, Kind: ref.Kind, Namespace: cmp.Or(ref.Namespace, own), Name: ref.Name}}
	if !w.all(wait.Key.Namespace) {
		wait.Project = w.project
	}
	if ref.Kind != v1alpha1.ApplicationSetKind {
		return []Dependency{wait}
	}
	its := wait // its applications count, too
	its.Key.Kind, its.Key.Name = v1alpha1.ApplicationKind, ""
	return []Dependency{wait, its}
}

// watchedObjects are those on a cluster. While nobody knows whether the kind
// is namespaced, it may be either.
func (r *Reconciler) watchedObjects(t *target, ref depend.Ref) []Dependency {
	cluster, err := r.placed(t, ref)
	if err != nil {
		return nil
	}
	var waits []Dependency
	namespaced, known := cluster.Scope()(ref.Group, ref.Kind)
	for _, either := range []bool{true, false} {
		if known && namespaced != either || t.permitsKind(ref, either) != nil {
			continue
		}
		key := gitops.Key{Group: ref.Group, Kind: ref.Kind, Name: ref.Name}
		if either {
			key.Namespace = r.namespaceOf(t, ref)
		}
		waits = append(waits, Dependency{Server: cluster.Desc().Server, Key: key})
	}
	return waits
}
