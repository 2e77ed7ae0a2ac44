package inspect

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// errLeaving tells of a set whose deletion an engine would go on with.
var errLeaving = errors.New("it is being deleted")

// ForetellSets expands each ApplicationSet that the engine would look at, and
// tells what it would do to the Applications. In the comparisons of these it
// notes what they become by that. It writes nothing.
func (i *Inspector) ForetellSets(ctx context.Context, in *takeover.Installation, all []takeover.Comparison) ([]takeover.SetComparison, error) {
	live := slices.DeleteFunc(slices.Clone(in.Applications), func(a v1alpha1.Application) bool { return a.Namespace != in.Namespace })
	var out []takeover.SetComparison
	for j := range in.Sets {
		set := &in.Sets[j]
		if set.Namespace != in.Namespace {
			continue
		}
		one, rolls, err := i.foretellSet(ctx, set, live)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			one = takeover.SetComparison{Name: set.Name, Problem: err.Error()}
		}
		takeover.Rolls(all, rolls)
		out = append(out, one)
	}
	takeover.Rewrites(all, out)
	return out, nil
}

// foretellSet is ForetellSets for one set; rolls are the Applications that its
// roll-out syncs.
func (i *Inspector) foretellSet(ctx context.Context, set *v1alpha1.ApplicationSet, live []v1alpha1.Application) (out takeover.SetComparison, rolls []string, err error) {
	out.Name = set.Name
	if !set.DeletionTimestamp.IsZero() {
		return out, nil, errLeaving
	}
	expansion, err := i.generator(i.clusters).Applications(ctx, set)
	if err != nil {
		return out, nil, err
	}
	foreseen, err := applicationset.Foresee(ctx, set, live, expansion)
	if err != nil {
		return out, nil, err
	}
	for j := range foreseen.Create {
		out.Changes = append(out.Changes, takeover.SetChange{Application: foreseen.Create[j].Name, Verb: gitops.Create})
	}
	byName := gitops.ByName(live)
	for j := range foreseen.Update {
		to := &foreseen.Update[j]
		fields, err := rewritten(byName[to.Name], to)
		if err != nil {
			return out, nil, err
		}
		out.Changes = append(out.Changes, takeover.SetChange{Application: to.Name, Verb: gitops.Update, Fields: fields})
	}
	for j := range foreseen.Delete {
		out.Changes = append(out.Changes, takeover.SetChange{Application: foreseen.Delete[j].Name, Verb: gitops.Prune})
	}
	return out, foreseen.Rolls, nil
}

// rewritten are the paths in which an Application becomes another one.
func rewritten(from, to *v1alpha1.Application) ([]string, error) {
	var objects [2]*unstructured.Unstructured
	for j, app := range []*v1alpha1.Application{from, to} {
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(app)
		if err != nil {
			return nil, err
		}
		objects[j] = &unstructured.Unstructured{Object: object}
		objects[j].SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.ApplicationKind))
	}
	d, err := plan.NewDiff(objects[0], objects[1])
	if err != nil {
		return nil, err
	}
	return fieldsIn(d.Changes), nil
}
