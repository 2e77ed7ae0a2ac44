package plugin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/walk"
)

// Discover implements source.Discoverer: whether a plugin takes a source
// that says nothing of its type. A plugin without rules takes none.
func (r *Renderer) Discover(ctx context.Context, s *source.Source) (bool, error) {
	_, ok, err := r.discovered(ctx, s)
	return ok, err
}

func (r *Renderer) discovered(ctx context.Context, s *source.Source) (Plugin, bool, error) {
	for _, p := range r.plugins {
		if !p.Discover.set() {
			continue
		}
		ok, err := r.matches(ctx, s, p)
		if err != nil || ok {
			return p, ok, err
		}
	}
	return Plugin{}, false, nil
}

// pick finds the plugin of a source: the one that is named, if its rules
// match where it has some, else the first one whose rules do.
func (r *Renderer) pick(ctx context.Context, s *source.Source) (Plugin, error) {
	if len(r.plugins) == 0 {
		return Plugin{}, r.none(s, "cannot render with a plugin: none is installed", "start the engine with a folder of ConfigManagementPlugin files")
	}
	if s.Spec.Plugin == nil || s.Spec.Plugin.Name == "" {
		p, ok, err := r.discovered(ctx, s)
		if err == nil && !ok {
			err = r.none(s, "cannot render with a plugin: the rules of none match the source", "name one of "+r.names()+" in plugin.name")
		}
		return p, err
	}
	for _, p := range r.plugins {
		if p.ID() != s.Spec.Plugin.Name {
			continue
		}
		if !p.Discover.set() {
			return p, nil
		}
		ok, err := r.matches(ctx, s, p)
		if err == nil && !ok {
			err = r.none(s, fmt.Sprintf("cannot render with plugin %s: its rules of discovery do not match the source", p.ID()), "correct the path, or take spec.discover out of the plugin's file")
		}
		return p, err
	}
	return Plugin{}, r.none(s, "cannot find plugin "+s.Spec.Plugin.Name, "name one of "+r.names())
}

// none is a plugin that is not there: which there are is no matter of the
// source's files, so that the outcome is not kept.
func (*Renderer) none(s *source.Source, what, fix string) error {
	return &gitops.Problem{Kind: gitops.NotFound, What: what, Where: s.Tree.Where(s.Path, 0), Fix: fix, Err: source.ErrPassing}
}

func (r *Renderer) names() string {
	var out []string
	for _, p := range r.plugins {
		out = append(out, p.ID())
	}
	return strings.Join(out, ", ")
}

// matches evaluates the first rule that a plugin has.
func (r *Renderer) matches(ctx context.Context, s *source.Source, p Plugin) (bool, error) {
	switch d := p.Discover; {
	case d.FileName != "":
		return globbed(ctx, s, d.FileName, fs.Glob)
	case d.Find.Glob != "":
		return globbed(ctx, s, d.Find.Glob, func(tree fs.FS, pattern string) ([]string, error) {
			return doublestar.Glob(tree, pattern, doublestar.WithNoFollow())
		})
	}
	return r.asked(ctx, s, p)
}

var literal = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`)

// globbed looks for a file. Libraries pass over folders that they cannot list:
// a walk that had to end early would be taken for one that found nothing, and
// the source be rendered as something else.
func globbed(ctx context.Context, s *source.Source, pattern string, glob func(fs.FS, string) ([]string, error)) (bool, error) {
	pattern = path.Join(literal.Replace(s.Path), pattern)
	if pattern == ".." || strings.HasPrefix(pattern, "../") || path.IsAbs(pattern) {
		return false, nil
	}
	w := walk.Over(ctx, s.Tree)
	found, err := glob(w, pattern)
	if lacking := cmp.Or(w.Err(), w.Unlisted()); len(found) == 0 && lacking != nil {
		return false, source.Missing(source.File{Tree: s.Tree, Name: s.Path}, "files of a plugin", "", lacking)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false, err
	}
	return len(found) > 0, nil
}

// asked runs the plugin's command for finding.
func (r *Renderer) asked(ctx context.Context, s *source.Source, p Plugin) (bool, error) {
	out, err := r.run(ctx, s, p, true)
	return len(out) > 0, err
}
