package generate

import (
	"fmt"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// found is what one kind within a generators entry gave.
type found struct {
	params   []Params
	template *v1alpha1.ApplicationSetTemplate
}

// transform finds the parameter sets of a generator. An entry may hold several
// kinds; each counts. The selector is taken as written: it is never rendered.
func (r *run) transform(g *v1alpha1.ApplicationSetGenerator, outer Params) ([]found, error) {
	keep, err := parameterSelector(g.Selector)
	if err != nil {
		return nil, err
	}
	var out []found
	for _, k := range r.kinds {
		template := k.template(g)
		if template == nil {
			continue
		}
		sets, err := r.paramsOf(k, g, outer)
		if err != nil {
			return nil, err
		}
		if err := r.count(len(sets)); err != nil {
			return nil, err
		}
		out = append(out, found{params: r.selected(sets, keep), template: template})
	}
	return out, nil
}

// paramsOf renders the generator with the parameters of the one before it in a
// matrix, if there is one, and asks its kind.
func (r *run) paramsOf(k kind, g *v1alpha1.ApplicationSetGenerator, outer Params) ([]Params, error) {
	if len(outer) == 0 {
		return k.params(r, g)
	}
	before := r.held.held
	rendered, err := r.replaced.generator(g, outer)
	if err != nil {
		return nil, fmt.Errorf("cannot render generator with %s: %w", r.blamed(outer, outer.String()), err)
	}
	made := r.held.held - before
	r.copies++
	defer func() { r.copies--; r.held.give(int(made)) }()
	return k.params(r, rendered)
}

// child finds the parameter sets of a generator inside a matrix or merge,
// which must hold exactly one kind.
func (r *run) child(g v1alpha1.ApplicationSetNestedGenerator, outer Params) ([]Params, error) {
	full, err := unnest(g)
	if err != nil {
		return nil, err
	}
	results, err := r.transform(full, outer)
	if err != nil {
		return nil, err
	}
	if len(results) != 1 {
		return nil, fmt.Errorf("it holds %d kinds of generator, give it exactly one", len(results))
	}
	return results[0].params, nil
}

// unnest opens a matrix or merge inside a matrix or merge. One level is
// possible: what is inside those is read without them.
func unnest(g v1alpha1.ApplicationSetNestedGenerator) (*v1alpha1.ApplicationSetGenerator, error) {
	out := &v1alpha1.ApplicationSetGenerator{
		List: g.List, Clusters: g.Clusters, Git: g.Git, SCMProvider: g.SCMProvider,
		ClusterDecisionResource: g.ClusterDecisionResource, PullRequest: g.PullRequest,
		Plugin: g.Plugin, OCI: g.OCI, Selector: g.Selector,
	}
	matrix, err := g.NestedMatrix()
	if err != nil {
		return nil, err
	}
	if matrix != nil {
		out.Matrix = &v1alpha1.MatrixGenerator{Generators: nest(matrix.Generators)}
	}
	merge, err := g.NestedMerge()
	if err != nil {
		return nil, err
	}
	if merge != nil {
		out.Merge = &v1alpha1.MergeGenerator{Generators: nest(merge.Generators), MergeKeys: merge.MergeKeys}
	}
	return out, nil
}

func nest(generators []v1alpha1.ApplicationSetTerminalGenerator) []v1alpha1.ApplicationSetNestedGenerator {
	out := make([]v1alpha1.ApplicationSetNestedGenerator, len(generators))
	for i, g := range generators {
		out[i] = g.Nested()
	}
	return out
}
