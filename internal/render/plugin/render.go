package plugin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/process"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Options of a Renderer; the zero value knows no plugin.
type Options struct {
	Plugins []Plugin
	// TempDir is where private folders are made; the system's when empty.
	TempDir string
	// Path is where commands are looked for, and the PATH that they see;
	// DefaultPath when empty.
	Path string
	// Apart is set in a worker: it runs no command, and says source.ErrRuns.
	Apart bool
	// Limits of each command.
	Limits process.Limits
	// MaxFiles and MaxBytes bound what a plugin gets of a repository;
	// 20,000 and 256 MiB when 0.
	MaxFiles int
	MaxBytes int64
}

// DefaultPath has the folders of a Linux system's programs.
const DefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Renderer renders sources by plugins. It is safe for concurrent use.
type Renderer struct{ o Options }

var (
	_ source.Renderer   = (*Renderer)(nil)
	_ source.Discoverer = (*Renderer)(nil)
)

// New makes a Renderer.
func New(o Options) *Renderer {
	if o.Path == "" {
		o.Path = DefaultPath
	}
	if o.MaxFiles == 0 {
		o.MaxFiles = 20_000
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 256 << 20
	}
	return &Renderer{o}
}

// Type implements source.Renderer.
func (*Renderer) Type() gitops.SourceType { return gitops.SourcePlugin }

// Render implements source.Renderer: what the plugin prints, in its order.
func (r *Renderer) Render(ctx context.Context, s *source.Source) ([]gitops.Manifest, error) {
	if r.o.Apart {
		return nil, source.ErrRuns
	}
	s.Tree.KeepSecret()
	p, err := r.pick(ctx, s)
	if err != nil {
		return nil, err
	}
	w, err := r.newWorkspace(ctx, s, p.PreserveFileMode)
	if err != nil {
		return nil, err
	}
	defer w.remove()
	if p.Init.set() {
		if _, err := r.run(ctx, s, w, p, "init", p.Init); err != nil {
			return nil, err
		}
	}
	out, err := r.run(ctx, s, w, p, "generate", p.Generate)
	if err != nil {
		return nil, err
	}
	return manifests(s, p, out)
}

// run runs one of a plugin's commands in the source's folder.
func (r *Renderer) run(ctx context.Context, s *source.Source, w *workspace, p Plugin, step string, c Command) ([]byte, error) {
	env, err := r.environment(s, w)
	if err != nil {
		return nil, err
	}
	out, err := process.Run(ctx, process.Command{
		Path: c.Command[0], Args: append(c.Command[1:len(c.Command):len(c.Command)], c.Args...),
		Dir: filepath.Join(w.repo, filepath.FromSlash(s.Path)), Env: env, Search: r.o.Path, Mark: "HOME=" + w.home, Limits: r.o.Limits,
	})
	var e *process.Error
	if !errors.As(err, &e) {
		return out, err
	}
	return nil, failed(s, p, step, c, e, scrub(strings.ReplaceAll(e.Stderr, w.repo, "."), env))
}

// failed is a command that did not end well. It is not kept: the next run
// may end otherwise.
func failed(s *source.Source, p Plugin, step string, c Command, e *process.Error, stderr string) error {
	out := &gitops.Problem{
		Kind: gitops.Invalid, What: fmt.Sprintf("cannot render with plugin %s: %s (%s): %s", p.ID(), step, c.Command[0], e.Error()),
		Where: s.Tree.Where(s.Path, 0), Fix: "run the command by hand in the source's folder", Err: fmt.Errorf("%w: %w", source.ErrPassing, e),
	}
	if stderr != "" {
		out.What += "\n" + stderr + "\n"
	}
	switch {
	case errors.Is(e, process.ErrStart):
		out.Fix = "install the command beside the engine, in its search path for plugins"
	case errors.Is(e, process.ErrTime), errors.Is(e, process.ErrMemory), errors.Is(e, process.ErrProcesses), errors.Is(e, process.ErrOutput):
		out.Fix = "make the plugin need less, or split the application"
	}
	return out
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
