// Package source is what a renderer is given: one source of an application,
// with its files, its variables and the facts it may ask for.
//
// It reads nothing but through the record, and renders nothing.
package source

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/record"
)

// Renderer makes manifests of one type of source.
type Renderer interface {
	// Type is the one type that the renderer is for.
	Type() gitops.SourceType
	// Render returns the manifests in a fixed order. Errors that a person
	// can act on are a *gitops.Problem.
	Render(ctx context.Context, s *Source) ([]gitops.Manifest, error)
}

// ErrPassing is the cause of errors that the same files may not give again,
// as those of time or of a plugin: such an outcome is not kept.
var ErrPassing = errors.New("it may pass by itself")

// ErrNotPlain is the cause of an error of a source that should be plain.
var ErrNotPlain = errors.New("the source is not plain")

// Discoverer is a Renderer that looks for sources of its type among those
// that say nothing of theirs, before their files are looked at.
type Discoverer interface {
	Discover(ctx context.Context, s *Source) (bool, error)
}

// Explainer is a Renderer that can tell where values come from.
type Explainer interface {
	// Explain returns the values that the source is rendered with, sorted by
	// path, each with its layers.
	Explain(ctx context.Context, s *Source) ([]gitops.Value, error)
}

// Configured is a Renderer that has no values and can tell its settings: what
// it reads of the sources, and what the Application sets over that.
type Configured interface {
	Settings(ctx context.Context, s *Source) ([]gitops.Value, error)
}

// Remote gives what a render reads from elsewhere than the application's own
// sources: the same reference gives the same tree for the whole render, and
// what is read of it is recorded.
type Remote interface {
	Tree(ctx context.Context, ref gitops.SourceRef) (*record.Tree, error)
}

// Settings are what the installation says of rendering, as argocd-cm has it.
type Settings struct {
	// BuildOptions are flags for Kustomize, as in "--enable-helm
	// --load-restrictor LoadRestrictionsNone".
	BuildOptions string
	// ValueSchemes are the schemes of addresses that Helm value files may be
	// read from; DefaultSchemes when nil.
	ValueSchemes []string
	// ValueHosts are globs of the hosts that they may be read from; nil
	// allows all public ones.
	ValueHosts []string
	// Disabled are the types that render as plain manifests instead;
	// Directory stands for Jsonnet, whose files are left out.
	Disabled []gitops.SourceType
}

// Source is one source of an application, ready to be rendered.
type Source struct {
	// Name is the application's name, Namespace the destination's, Project
	// the application's project.
	Name, Namespace, Project string
	// Spec has the overrides of the repository merged in.
	Spec v1alpha1.ApplicationSource
	// Tree is the repository, or the chart when Spec.Chart is set.
	Tree *record.Tree
	// Path is the source's folder in Tree; "." is the root.
	Path string
	// GeneratePaths are the paths that the application's manifests depend on,
	// as its annotation manifest-generate-paths has them; empty when it does
	// not say.
	GeneratePaths string
	// Refs are the repositories that $name/… stands for, by name.
	Refs map[string]*record.Tree
	Env  environ.Env
	// Facts of the destination cluster.
	Facts *record.Facts
	// Remote is nil where nothing may be read from elsewhere.
	Remote   Remote
	Settings Settings
	// Values bounds what the files of all sources of the application become
	// together; no bound but that of each text when nil.
	Values *bounded.Budget
	// Output bounds the bytes of the manifests of all sources together; no
	// bound when nil.
	Output *bounded.Budget
	// Loaded has what was loaded for any source of the application, by the digest
	// of its folder: what is there again is shared. Nothing is when nil.
	Loaded *sync.Map
	// Plain has the source rendered where no library is called, and fail with
	// ErrNotPlain where one would be.
	Plain bool
	// Explained counts what is told of the values of all sources of the application
	// together; of this one alone when nil.
	Explained *Explained

	mu       sync.Mutex
	warnings gitops.Warnings
	lifetime time.Duration
}

// Beside refers to a repository, or a chart of one, that files of the source name:
// it is read on behalf of the same project.
func (s *Source) Beside(repoURL, chart, revision string) gitops.SourceRef {
	return gitops.SourceRef{RepoURL: repoURL, Chart: chart, Revision: revision, Project: s.Project}
}

// Explained is what an Explainer has spent on sources, one after the other.
type Explained struct {
	// Asked is how often layers were asked about values, Told the bytes of what
	// they say.
	Asked, Told int
}

// Hold counts bytes that the render holds for this source, besides the files of
// its trees.
func (s *Source) Hold(what string, size int) error { return s.Tree.Hold(s.Path, what, size) }

// Expand fills the build environment into a text of the spec.
func (s *Source) Expand(text string) (string, error) {
	out, err := s.Env.Expand(text, func(size int) error { return s.Hold("a text with its build environment", size) })
	if errors.Is(err, environ.ErrTooMuch) {
		return "", gitops.Problemf(gitops.Invalid, "cannot fill in the build environment: %w", err).
			At(s.Tree.Where(s.Path, 0)).Do("use fewer of its variables in one text")
	}
	return out, err
}

// Warn adds a warning. The first ones of each reason are kept.
func (s *Source) Warn(reason, message string, at gitops.Origin) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warnings.Add(gitops.Warning{Reason: reason, Message: message, Origin: at})
}

// WarnOf adds the warnings of another source that is rendered for this one.
func (s *Source) WarnOf(other *Source) { s.WarnAll(other.Warnings()) }

// WarnAll adds warnings.
func (s *Source) WarnAll(all []gitops.Warning) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range all {
		s.warnings.Add(w)
	}
}

// Warnings returns the warnings so far.
func (s *Source) Warnings() []gitops.Warning {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.warnings.List()
}

// Perishes says that what was read may be another after a time, and no
// record can tell: the rendering is then kept in memory only, for no longer
// than the shortest time it is told. A time that is not positive means not
// at all.
func (s *Source) Perishes(after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if after = max(after, 1); s.lifetime == 0 || after < s.lifetime {
		s.lifetime = after
	}
}

// Lifetime is how long the rendering may be kept; 0 is as long as its record
// holds.
func (s *Source) Lifetime() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lifetime
}

// File is a place in one of the trees that a source may read.
type File struct {
	Tree *record.Tree
	Name string
}

// Where is the file's place.
func (f File) Where(line int) gitops.Origin { return f.Tree.Where(f.Name, line) }

// Locate finds what a name in the spec means: $ref/… a file of that
// repository, /… one of this repository, else one beside the source. The
// build environment is substituted. The file need not be there.
func (s *Source) Locate(name string) (File, error) {
	tree, base := s.Tree, s.Path
	rest := name
	if ref, tail, ok := s.ref(name); ok {
		tree, base, rest = ref, ".", "/"+tail
	}
	rest, err := s.Expand(rest)
	if err != nil {
		return File{}, err
	}
	clean, ok := Inside(base, rest)
	if !ok {
		return File{}, gitops.Problemf(gitops.Invalid, "cannot read %s: the path leaves the repository", name).
			At(s.Tree.Where(s.Path, 0)).Do("write a path inside the repository")
	}
	return File{Tree: tree, Name: clean}, nil
}

func (s *Source) ref(name string) (*record.Tree, string, bool) {
	if !strings.HasPrefix(name, "$") {
		return nil, "", false
	}
	ref, tail, _ := strings.Cut(name[1:], "/")
	tree, ok := s.Refs[ref]
	return tree, tail, ok
}

// Inside joins a path to a base inside a tree; a leading slash means the
// tree's root. ok is false for a path that leaves the tree.
func Inside(base, name string) (clean string, ok bool) {
	if strings.HasPrefix(name, "/") {
		base, name = ".", strings.TrimLeft(name, "/")
	}
	clean = path.Join(base, name)
	if clean == ".." || strings.HasPrefix(clean, "../") || path.IsAbs(clean) {
		return "", false
	}
	if clean == "" {
		clean = "."
	}
	return clean, fs.ValidPath(clean)
}

// Missing makes the Problem for a file or folder that is not there, or that
// a symbolic link keeps out of reach; other errors come back as they are.
func Missing(f File, what, fix string, err error) error {
	var p *gitops.Problem
	if errors.As(err, &p) {
		return placed(f, p, err)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &gitops.Problem{Kind: gitops.NotFound, What: "cannot find " + what + " " + f.Name, Where: f.Where(0), Fix: fix, Err: err}
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return err
	}
	return &gitops.Problem{Kind: gitops.Invalid, What: "cannot read " + what + " " + f.Name + ": " + cause(err), Where: f.Where(0), Fix: fix, Err: err}
}

// placed gives a Problem that knows no place the one of the file; a copy of
// it, as the same may be told of other files.
func placed(f File, p *gitops.Problem, err error) error {
	if err != error(p) || p.Where != (gitops.Origin{}) { //nolint:errorlint // only one that is wrapped by nothing may be replaced
		return err
	}
	q := *p
	return q.At(f.Where(0))
}

// cause leaves the operation and path of a PathError out: they are told already.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
