package generate

import (
	"fmt"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

type matrixKind struct{}

func (matrixKind) template(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	if g.Matrix == nil {
		return nil
	}
	return &g.Matrix.Template
}

// params combines every set of the first child with every set of the second,
// which is rendered with the first.
func (matrixKind) params(r *run, g *v1alpha1.ApplicationSetGenerator) ([]Params, error) {
	children := g.Matrix.Generators
	if len(children) != 2 {
		return nil, fmt.Errorf("cannot combine %d generators in a matrix, give it exactly two", len(children))
	}
	leave := r.enter("first generator of the matrix")
	firsts, err := r.child(children[0], nil)
	leave()
	if err != nil {
		return nil, fmt.Errorf("first generator of the matrix: %w", err)
	}
	defer r.enter("second generator of the matrix")()
	var out []Params
	for _, first := range firsts {
		seconds, err := r.child(children[1], first)
		if err != nil {
			return nil, fmt.Errorf("second generator of the matrix: %w", err)
		}
		for _, second := range seconds {
			both, err := r.combine(first, second)
			if err != nil {
				return nil, fmt.Errorf("cannot combine the generators of the matrix: %w", err)
			}
			out = append(out, both)
		}
	}
	return out, nil
}

func (r *run) combine(first, second Params) (Params, error) {
	if r.set.Spec.GoTemplate {
		return overwriteNested(second, first)
	}
	return combineTexts(first, second)
}
