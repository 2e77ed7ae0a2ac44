package render

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/seat"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// SourceValues are the values of one source of an application.
type SourceValues struct {
	// Source is the index in the application's list of sources.
	Source int
	// Type is what renders it.
	Type   gitops.SourceType
	Values []gitops.Value
}

// Values tells, for each source that has values, where each of them comes
// from. Nothing is rendered, and nothing of it is kept.
func (r *Renderer) Values(ctx context.Context, in Input) ([]SourceValues, error) {
	return r.explain(ctx, in, tellValues)
}

// Parameters are the values of each source, or the settings of those that have
// no values.
func (r *Renderer) Parameters(ctx context.Context, in Input) ([]SourceValues, error) {
	return r.explain(ctx, in, tellParameters)
}

// telling is which values of the sources are asked for.
type telling string

const (
	tellNothing    telling = ""
	tellValues     telling = "Values"
	tellParameters telling = "Parameters"
)

// explain tells where the values of a source come from.
type explain = func(context.Context, *source.Source) ([]gitops.Value, error)

// by is how a renderer answers; nil where it has nothing to tell.
func (t telling) by(renderer source.Renderer) explain {
	if e, ok := renderer.(source.Explainer); ok {
		return e.Explain
	}
	if t == tellValues {
		return nil
	}
	if e, ok := renderer.(source.Configured); ok {
		return e.Settings
	}
	return func(context.Context, *source.Source) ([]gitops.Value, error) { return nil, nil }
}

// explain reads and merges as a render does, and has a slot as one.
func (r *Renderer) explain(ctx context.Context, in Input, what telling) ([]SourceValues, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	return seat.Away(ctx, "", func(ctx context.Context) ([]SourceValues, error) {
		project := in.App.Spec.GetProject()
		if err := r.slot(ctx, project); err != nil {
			return nil, err
		}
		defer r.slots.Give(project)
		limited, cancel := context.WithTimeout(slots.ForProject(ctx, project), r.limits.Time)
		defer cancel()
		return r.told(limited, in, what)
	})
}

// told has a worker explain, where there are some.
func (r *Renderer) told(ctx context.Context, in Input, what telling) ([]SourceValues, error) {
	if r.apart == nil {
		return r.explained(ctx, in, what)
	}
	t, err := r.ask(ctx, in, what)
	if err != nil {
		return nil, r.unmade(ctx, in, t, err).err
	}
	return t.values(in)
}

func (r *Renderer) explained(ctx context.Context, in Input, what telling) ([]SourceValues, error) {
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
		tell := what.by(r.renderers[kind])
		if tell == nil {
			continue
		}
		values, err := tell(ctx, s)
		if err != nil {
			return nil, at(err, run.trees[i], s.Path)
		}
		for _, v := range values {
			for j := range v.Layers {
				v.Layers[j].Origin.Source = i
			}
		}
		out = append(out, SourceValues{Source: i, Type: kind, Values: values})
	}
	return out, nil
}
