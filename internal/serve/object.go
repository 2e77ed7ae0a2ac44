package serve

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Object shows one object of an application: what is live, and what Git has.
// Of one that the status names, what Git has is shown also where the cluster
// does not answer, and of one that another application has nothing else is.
func (l looker) Object(ctx context.Context, app *v1alpha1.Application, ref api.Ref) (*api.Object, error) {
	at, err := l.on.Admit(ctx, app)
	if err != nil {
		return nil, err
	}
	look, end := at.Cluster.OneLook(ctx, auth.Asker(ctx))
	defer end()
	live, err := l.seen(look, at, app, ref)
	if held := (*Held)(nil); errors.As(err, &held) || away(err) && at.has(ref.Key()) {
		return l.shown(ctx, at, app, ref, nil, err)
	}
	if err != nil {
		return nil, err
	}
	return l.shown(ctx, at, app, ref, live, nil)
}

// seen is a live object for who is shown it.
func (l looker) seen(ctx context.Context, at *Admitted, app *v1alpha1.Application, ref api.Ref) (*unstructured.Unstructured, error) {
	live, err := l.read(ctx, at, app, ref)
	by := accessTo(app, "applications", "get")
	if err != nil || live == nil || !l.byKubernetes(auth.From(ctx), by) {
		return live, err
	}
	want, err := toGet(ctx, at.Cluster, live)
	if err != nil {
		return nil, err
	}
	return live, l.demand(ctx, at.Cluster, by, want)
}

// shown is an object for people, with what Git has of it. Silent is why it is
// not known what is live, or is not to be shown; nil where it is known.
func (l looker) shown(ctx context.Context, at *Admitted, app *v1alpha1.Application, ref api.Ref, live *unstructured.Unstructured, silent error) (*api.Object, error) {
	set, problem := l.on.Stages.Desired(ctx, app)
	out := &api.Object{Ref: ref}
	if problem != nil {
		set, out.Problem = nil, saidOf(problem)
	}
	desired := find(set, ref.Key())
	switch {
	case desired == nil && silent != nil:
		return nil, silent
	case desired == nil && live == nil:
		return nil, errors.Join(problem, gitops.Problemf(gitops.NotFound, "%s %s is neither in the cluster nor in Git", ref.Kind, ref.Name))
	case silent != nil:
		unseen(out, silent)
	}
	veil, err := l.veil(ctx, app, set, problem)
	if err != nil {
		return nil, err
	}
	var wanted *unstructured.Unstructured
	if desired != nil {
		wanted, out.Origin = desired.Object, desired.Origin.String()
	}
	wanted, seen := veil.Sides(wanted, live)
	d, err := plan.Beside(seen, wanted, l.on.Hidden()...)
	if err != nil {
		return nil, err
	}
	if out.Live, out.Desired, err = d.Sides(); err != nil || live == nil {
		return out, err
	}
	health, _ := l.on.Checks.Health(at.server(), live) // an error is the health's message
	out.Health, out.Message, out.Containers = string(health.Code), health.Message, containersOf(live)
	return out, nil
}

// unseen says of an object why it is not known what is live, or is not shown.
func unseen(o *api.Object, why error) {
	o.Health, o.Message = string(v1alpha1.HealthStatusUnknown), why.Error()
	var held *Held
	if errors.As(why, &held) {
		o.Holder = held.Holder
		return
	}
	o.Unanswered = true
}

// saidOf is why an application cannot be rendered, for people. What no stage
// foresaw is not for them.
func saidOf(err error) string {
	var p *gitops.Problem
	if errors.As(err, &p) {
		return p.Error()
	}
	return "it could not be rendered now; try again"
}

// find is an object as Git has it; nil where Git does not have it, or it is not
// known what Git has.
func find(set *plan.Set, key gitops.Key) *plan.Object {
	if set == nil {
		return nil
	}
	i := slices.IndexFunc(set.Objects, func(o plan.Object) bool { return o.Key == key })
	if i < 0 {
		return nil
	}
	return &set.Objects[i]
}

// own reads a live object that an application has. Nil when its status names it
// and it is not there: what is another's is not there either.
func (l looker) own(ctx context.Context, at *Admitted, app *v1alpha1.Application, ref api.Ref) (*unstructured.Unstructured, error) {
	key := ref.Key()
	o, err := l.on.Live.Object(ctx, app, schema.GroupVersionKind{Group: ref.Group, Version: ref.Version, Kind: ref.Kind}, key)
	if err == nil && o == nil && !at.has(key) {
		err = gitops.Problemf(gitops.NotFound, "application %s has no %s %s", app.Name, ref.Kind, ref.Name)
	}
	return o, err
}

// has reports whether the status names an object that the project permits.
func (a *Admitted) has(key gitops.Key) bool {
	return slices.ContainsFunc(a.Resources, func(r v1alpha1.ResourceStatus) bool {
		return r.Group == key.Group && r.Kind == key.Kind && r.Namespace == key.Namespace && r.Name == key.Name
	})
}

func containersOf(o *unstructured.Unstructured) []string {
	if o.GetKind() != "Pod" {
		return nil
	}
	var out []string
	for _, field := range []string{"containers", "initContainers"} {
		list, _, _ := unstructured.NestedSlice(o.Object, "spec", field)
		for _, c := range list {
			if m, ok := c.(map[string]any); ok {
				name, _ := m["name"].(string)
				out = append(out, name)
			}
		}
	}
	return out
}
