package preview

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// Report is what is to be said of one side.
type Report struct {
	State *State
	// Rendered is the number of applications that could be rendered.
	Rendered int
	Failures []forecast.Finding
	Warnings []forecast.Finding
	Missing  []forecast.Missing
}

// Lint expands and renders everything of one side, and collects what is wrong
// and what is likely a mistake.
func Lint(ctx context.Context, side Side, o Options) (*Report, error) {
	o = o.complete()
	state, err := Expand(ctx, side, o)
	if err != nil {
		return nil, err
	}
	c := newComparison(state, &State{Side: side}, o)
	if err := c.renderAll(ctx); err != nil {
		return nil, err
	}
	out := &Report{State: state}
	failures, warnings, rendered := state.failed(), state.findings(), map[ID]bool{}
	members := map[string][]member{}
	for _, p := range c.pairs {
		failures, warnings = append(failures, p.failures...), append(warnings, p.oldWarnings...)
		rendered[p.id] = p.renderedBase
		out.Rendered += p.rendered + p.reused
		members[p.base.Cluster.Server] = append(members[p.base.Cluster.Server], member{p.base, p.external[0]})
	}
	warnings = append(warnings, state.externalFindings(members, c.allKnown(state))...)
	out.Missing = missing(failures, nil)
	out.Failures = join(state, withoutMissing(failures), nil)
	out.Warnings = join(state, state.nowhere(warnings, rendered), nil)
	return out, nil
}

func (c *comparison) renderAll(ctx context.Context) error {
	return inParallel(ctx, c.options.Workers, len(c.pairs), func(ctx context.Context, i int) {
		p := c.pairs[i]
		c.values(p)
		had := p.base.Err != nil
		if c.render(ctx, c.before, p.base, p) == nil && !had {
			p.failures = append(p.failures, c.before.failure(p.base, p.base.failed()))
		}
		c.forget(p)
		c.options.Progress("render", int(c.done.Add(1)), len(c.pairs))
	})
}

// Failures of the expansion alone; nothing more is rendered for them.
func (s *State) Failures() []forecast.Finding { return join(s, s.failed(), nil) }
