package generate

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// renderer renders one text with one parameter set.
type renderer interface {
	render(text string, p Params) (string, error)
	// fenced is a renderer that has fences around what it puts in: see cutFences.
	fenced(mark string) renderer
}

// newRenderers returns the renderer of a set, and one that fails where a
// parameter is missing. They parse each text once.
func newRenderers(ctx context.Context, set *v1alpha1.ApplicationSet, limits Limits, l *lacks) (normal, strict renderer) {
	total := &budget{limits.Total}
	if !set.Spec.GoTemplate {
		fast := newFastTexts(limits, total, l)
		return fast, fast
	}
	return newGoTexts(ctx, set.Spec.GoTemplateOptions, limits, total, l),
		newGoTexts(ctx, []string{"missingkey=error"}, limits, total, l)
}
