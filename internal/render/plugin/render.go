package plugin

import (
	"context"
	"fmt"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Renderer renders sources by plugins. It is safe for concurrent use.
type Renderer struct {
	plugins  []Plugin
	programs source.Programs
}

var (
	_ source.Renderer   = (*Renderer)(nil)
	_ source.Discoverer = (*Renderer)(nil)
)

// New makes a Renderer of plugins whose commands are run by programs.
func New(plugins []Plugin, programs source.Programs) *Renderer { return &Renderer{plugins, programs} }

// Type implements source.Renderer.
func (*Renderer) Type() gitops.SourceType { return gitops.SourcePlugin }

// Render implements source.Renderer: what the plugin prints, in its order.
func (r *Renderer) Render(ctx context.Context, s *source.Source) ([]gitops.Manifest, error) {
	p, err := r.pick(ctx, s)
	if err != nil {
		return nil, err
	}
	out, err := r.run(ctx, s, p, false)
	if err != nil {
		return nil, err
	}
	return manifests(s, p, out)
}

// run has a plugin's commands run for a source. What it is given is recorded by the
// digests of its files and folders.
func (r *Renderer) run(ctx context.Context, s *source.Source, p Plugin, finding bool) ([]byte, error) {
	if s.Plain {
		return nil, source.ErrNotPlain
	}
	s.Tree.KeepSecret()
	there, err := given(s)
	if err != nil {
		return nil, err
	}
	env, err := environment(s)
	if err != nil {
		return nil, err
	}
	j := source.Job{Plugin: p.ID(), Finding: finding, Tree: s.Tree.Unrecorded(), Origin: s.Tree.Where("", 0), Path: s.Path, Roots: there, Env: env}
	if err := j.Check(); err != nil {
		return nil, err
	}
	printed, err := r.programs.Run(ctx, j)
	s.WarnAll(printed.Warnings)
	return printed.Output, err
}

// manifests reads what a plugin printed.
func manifests(s *source.Source, p Plugin, out []byte) ([]gitops.Manifest, error) {
	docs, err := document.Within(s.Values).Holding(s.Output).ReadLoose(out)
	if err != nil {
		return nil, unread(s, p, err)
	}
	var all []gitops.Manifest
	for _, d := range docs {
		objects, err := document.Open(d.Object)
		if err != nil {
			return nil, unread(s, p, &document.Error{Line: d.Line, Text: err.Error()})
		}
		for _, o := range objects {
			all = append(all, gitops.Manifest{Object: o, Origin: s.Tree.Where(s.Path, 0)})
		}
	}
	return all, nil
}

func unread(s *source.Source, p Plugin, err error) error {
	e := document.AsError(err)
	return &gitops.Problem{
		Kind: gitops.Invalid, What: fmt.Sprintf("cannot read what plugin %s printed: line %d: %s", p.ID(), e.Line, scrub(e.Text, nil)),
		Where: s.Tree.Where(s.Path, 0), Fix: "let the plugin print Kubernetes objects alone, and messages on its error output",
		Err: fmt.Errorf("%w: %w", source.ErrPassing, err),
	}
}
