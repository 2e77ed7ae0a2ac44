package generate

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// found is what one kind within a generators entry gave.
type found struct {
	params   []paramSet
	template *v1alpha1.ApplicationSetTemplate
}

// transform finds the parameter sets of a generator. An entry may hold several
// kinds; each counts. The selector is taken as written: it is never rendered.
func (r *run) transform(g *v1alpha1.ApplicationSetGenerator, outer paramSet) ([]found, error) {
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
		kept, err := r.selected(sets, keep)
		if err != nil {
			return nil, err
		}
		out = append(out, found{params: kept, template: template})
	}
	return out, nil
}

// paramsOf renders the generator with the parameters of the one before it in a
// matrix, if there is one, and asks its kind.
func (r *run) paramsOf(k kind, g *v1alpha1.ApplicationSetGenerator, outer paramSet) ([]paramSet, error) {
	if len(outer.Params) == 0 {
		sets, err := k.params(r, g)
		return sets, r.ownWords(g, err)
	}
	if err := r.ownMapsOf(g, outer.Params); err != nil {
		return nil, errorf("cannot render generator with %s: %w", outer, err)
	}
	before := r.held.held
	rendered, err := r.replaced.generator(g, outer.Params)
	if err != nil {
		if r.isVeiled() {
			err = &veiled{err} // its keys are rendered as well
		}
		return nil, errorf("cannot render generator with %s: %w", outer, err)
	}
	made, already := r.held.held-before, len(r.rendered)
	r.copies++
	if r.ofClusters {
		r.rendered = append(r.rendered, g)
	}
	defer func() { r.copies, r.rendered = r.copies-1, r.rendered[:already]; r.held.give(int(made)) }()
	sets, err := k.params(r, rendered)
	if err = r.ownWords(rendered, err); err != nil && isTemplated(g) {
		err = errorf("with %s: %w", outer, err)
	}
	return sets, err
}

// isVeiled reports whether the generator that is worked on may have what a cluster says.
func (r *run) isVeiled() bool { return slices.ContainsFunc(r.rendered, isTemplated) }

// isTemplated reports whether a generator may differ from one set of parameters to another.
func isTemplated(g *v1alpha1.ApplicationSetGenerator) bool {
	text, err := json.Marshal(g)
	return err != nil || bytes.Contains(text, []byte("{{"))
}

// ownWords is the error of a generator: that of one that reads no clusters, and was not
// rendered with any, is told whole.
func (r *run) ownWords(g *v1alpha1.ApplicationSetGenerator, err error) error {
	if err == nil || g.Clusters != nil || g.ClusterDecisionResource != nil || g.Matrix != nil || g.Merge != nil {
		return err
	}
	return r.written(err)
}

// written is an error about what stands in the set, unless that was rendered with what a
// cluster says.
func (r *run) written(err error) error {
	if r.isVeiled() {
		return err
	}
	return &whole{err}
}

// child finds the parameter sets of a generator inside a matrix or merge,
// which must hold exactly one kind.
func (r *run) child(g v1alpha1.ApplicationSetNestedGenerator, outer paramSet) ([]paramSet, error) {
	full, err := unnest(g)
	if err != nil {
		return nil, err
	}
	results, err := r.transform(full, outer)
	if err != nil {
		return nil, err
	}
	if len(results) != 1 {
		return nil, errorf("it holds %d kinds of generator, give it exactly one", len(results))
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
