package render

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// SourceValues are the values of one source of an application.
type SourceValues struct {
	// Source is the index in the application's list of sources.
	Source int
	Values []gitops.Value
}

// Values tells, for each source that has values, where each of them comes
// from. Nothing is rendered, and nothing of it is kept.
func (r *Renderer) Values(ctx context.Context, in Input) ([]SourceValues, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, r.limits.Time)
	defer cancel()
	run := newRun(ctx, in, r.limits, in.from(r.remotes))
	run.discoverers = r.discoverers
	var out []SourceValues
	for i, spec := range in.App.Spec.GetSources() {
		if !spec.Renders() {
			continue
		}
		s, kind, err := run.prepare(ctx, i, spec)
		if err != nil {
			return nil, at(err, run.trees[i], spec.Path)
		}
		explainer, ok := r.renderers[kind].(source.Explainer)
		if !ok {
			continue
		}
		values, err := explainer.Explain(ctx, s)
		if err != nil {
			return nil, at(err, run.trees[i], s.Path)
		}
		for _, v := range values {
			for j := range v.Layers {
				v.Layers[j].Origin.Source = i
			}
		}
		out = append(out, SourceValues{Source: i, Values: values})
	}
	return out, nil
}
