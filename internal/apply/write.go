package apply

import (
	"context"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// write brings one object to its desired form, and tells the result how it then is.
func (a *Applier) write(ctx context.Context, c Cluster, action *gitops.Action, r *gitops.Result) error {
	var got answer
	err := a.mapped(ctx, c, kindOf(action), action.Key, func(p paths) (err error) {
		got, err = a.writeMapped(ctx, c, p, action)
		r.Deleted = r.Deleted || got.deleted
		return a.explained(ctx, c, p, action, err)
	})
	if err != nil {
		return problem("apply", action, c, err)
	}
	object, err := got.object()
	if err != nil {
		return problem("apply", action, c, err)
	}
	if action.Key.IsDefinition() {
		a.lane(c.Server()).fresh.add(object)
	}
	live := a.options.Convert(c.Server(), object)
	// What is frozen has to be told by each comparison.
	if live.Fingerprint != "" && !action.Drift.Freezes() {
		a.options.Remember(c.Server(), action.Key, action.Digest, live.Fingerprint)
	}
	r.Live, r.Message = live, told(got, action, live)
	return nil
}

func kindOf(a *gitops.Action) schema.GroupVersionKind {
	if a.Desired != nil {
		return a.Desired.Object.GroupVersionKind()
	}
	return a.Live.Version
}

func told(got answer, action *gitops.Action, live *gitops.Live) string {
	what := gitops.Configured
	if got.code == http.StatusCreated {
		what = gitops.Created
	} else if action.Live != nil && action.Live.ResourceVersion == live.ResourceVersion {
		what = gitops.Unchanged
	}
	if got.note != "" {
		what += "; " + got.note
	}
	return what
}

// writeMapped picks the way of writing. The ordinary one is a single request.
func (a *Applier) writeMapped(ctx context.Context, c Cluster, p paths, action *gitops.Action) (answer, error) {
	switch {
	case action.Hook:
		return a.writeHook(ctx, c, p, action)
	case action.Recreate:
		return a.recreate(ctx, c, p, action)
	case action.Live == nil:
		return a.applyOrForce(ctx, c, p, action)
	}
	return a.writeOver(ctx, c, p, action)
}

// writeOver changes an object that is there, or makes it anew where that is asked for.
func (a *Applier) writeOver(ctx context.Context, c Cluster, p paths, action *gitops.Action) (answer, error) {
	if action.Options.RespectIgnored && !action.Ignore.Empty() {
		respectful, err := a.respect(ctx, c, p, action)
		if err != nil {
			return answer{}, err
		}
		action = respectful
	}
	kept := fieldpath.NewSet()
	if freezes(action) {
		var err error
		if action, kept, err = a.frozen(ctx, c, p, action); err != nil {
			return answer{}, err
		}
	}
	switch {
	case action.Options.Replace && action.Options.Force:
		return a.recreate(ctx, c, p, action)
	case action.Options.Replace:
		return a.replace(ctx, c, p, action)
	case ownedByOthers(action.Live, action.Options) || migrated(action) != "":
		if err := a.takeOver(ctx, c, p.object, migrated(action), kept); err != nil {
			return answer{}, err
		}
	}
	return a.applyOrForce(ctx, c, p, action)
}

// applyOrForce applies; with Force=true an object that cannot be changed is
// created anew.
func (a *Applier) applyOrForce(ctx context.Context, c Cluster, p paths, action *gitops.Action) (answer, error) {
	got, err := a.apply(ctx, c, p, action, forReal)
	if err != nil && action.Options.Force && (apierrors.IsInvalid(err) || immutable(err)) {
		return a.recreate(ctx, c, p, action)
	}
	return got, err
}

// replace writes the whole object, and then owns its fields, so that later
// drift is seen.
func (a *Applier) replace(ctx context.Context, c Cluster, p paths, action *gitops.Action) (answer, error) {
	if err := a.put(ctx, c, p, action, forReal); err != nil {
		return answer{}, err
	}
	return a.apply(ctx, c, p, action, forReal)
}

// recreate deletes the live object and creates the desired one. A hook of an
// earlier sync that was cut short may still have the finalizer of hooks.
func (a *Applier) recreate(ctx context.Context, c Cluster, p paths, action *gitops.Action) (answer, error) {
	live, err := a.inTheWay(ctx, c, p, action)
	if err != nil {
		return answer{}, err
	}
	if live == nil {
		return a.apply(ctx, c, p, action, forReal)
	}
	if err := a.letGo(ctx, c, p.object, live); err != nil {
		return answer{}, err
	}
	policy := gitops.DeleteBackground
	if action.Hook {
		policy = action.Options.PrunePolicy // its pods are to go first
	}
	deleted, err := a.deleteAndWait(ctx, c, p.object, live, action.Key, policy)
	if err != nil {
		return answer{deleted: deleted}, err
	}
	got, err := a.apply(ctx, c, p, action, forReal)
	got.deleted = deleted
	return got, err
}

// inTheWay is the object that has to go before another one is made; nil when
// there is none. One that the plan has not seen, such as a hook's of the phase
// before, goes only when it carries the very mark that the new one will have.
func (a *Applier) inTheWay(ctx context.Context, c Cluster, p paths, action *gitops.Action) (*gitops.Live, error) {
	if action.Live != nil {
		return action.Live, nil
	}
	return a.unplanned(ctx, c, p, action)
}

// unplanned is an object that the plan has not seen; nil when there is none. It
// has to have the very mark that the desired one has.
func (a *Applier) unplanned(ctx context.Context, c Cluster, p paths, action *gitops.Action) (*gitops.Live, error) {
	object, err := a.get(ctx, c, p.object)
	if isGone(err) {
		return nil, nil //nolint:nilnil // the name is free
	}
	if err != nil {
		return nil, err
	}
	live := a.options.Convert(c.Server(), object)
	if mark := action.Desired.Object.GetAnnotations()[gitops.AnnotationTracking]; mark == "" || live.Tracking != mark {
		return nil, unseen(action.Key)
	}
	return live, nil
}

// unseen is the refusal to delete what nobody decided about, or to make a hook
// of it.
func unseen(k gitops.Key) error {
	return gitops.Problemf(gitops.Forbidden, "cannot recreate %s: another object has its name now, or it has become somebody else's, since the sync was planned", k).Do("sync again")
}

func (a *Applier) get(ctx context.Context, c Cluster, path string) (*unstructured.Unstructured, error) {
	got, err := a.send(ctx, c, call{verb: http.MethodGet, path: path})
	if err != nil {
		return nil, err
	}
	return got.object()
}
