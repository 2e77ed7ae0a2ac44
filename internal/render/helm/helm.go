package helm

import (
	"context"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/helm/engine"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Files fetches value files by URL, within a rule that also holds for where
// the address leads on to. A file that is not there is fs.ErrNotExist.
type Files interface {
	File(ctx context.Context, url string, r source.Rule) ([]byte, error)
}

// Options of a Renderer; the zero value takes the defaults.
type Options struct {
	// Files fetches value files by URL; without it they are a Problem.
	Files Files
	// CacheBytes bounds the memory of loaded charts, and that of parsed
	// templates; 64 MiB each when 0.
	CacheBytes int64
	// Limits of the templates of one render.
	Limits engine.Limits
}

// Renderer renders charts. It is safe for concurrent use.
type Renderer struct {
	files  Files
	loaded *cache.LRU[string, loaded] // by the digest of a chart's folder
	engine *engine.Engine
}

var _ source.Renderer = (*Renderer)(nil)

// New makes a Renderer.
func New(o Options) *Renderer {
	if o.CacheBytes == 0 {
		o.CacheBytes = 64 << 20
	}
	return &Renderer{
		files: o.Files, loaded: cache.New[string, loaded](o.CacheBytes),
		engine: engine.New(engine.Options{Limits: o.Limits, CacheBytes: o.CacheBytes}),
	}
}

// Type implements source.Renderer.
func (*Renderer) Type() gitops.SourceType { return gitops.SourceHelm }

// Render implements source.Renderer: CRDs first, then the objects by the
// path of their template, hooks last.
func (r *Renderer) Render(ctx context.Context, s *source.Source) ([]gitops.Manifest, error) {
	spec := s.Spec.Helm
	if spec == nil {
		spec = &v1alpha1.ApplicationSourceHelm{}
	}
	values, err := r.values(ctx, s, spec)
	if err != nil {
		return nil, err
	}
	return r.release(ctx, s, spec, values)
}

// release renders the chart of a source with values.
func (r *Renderer) release(ctx context.Context, s *source.Source, spec *v1alpha1.ApplicationSourceHelm, values map[string]any) ([]gitops.Manifest, error) {
	ch, err := r.load(ctx, s, values)
	if err != nil {
		return nil, err
	}
	top, err := prepare(s, spec, ch, values)
	if err != nil {
		return nil, err
	}
	outputs, err := r.engine.Render(ctx, ch.Chart, top)
	if err != nil {
		return nil, templateProblem(s, ch, err)
	}
	out := output{source: s, chart: ch, skipTests: spec.SkipTests}
	if !spec.SkipCrds {
		if err := out.crds(ch.CRDObjects()); err != nil {
			return nil, err
		}
	}
	if err := out.templates(outputs); err != nil {
		return nil, err
	}
	return out.manifests(), nil
}

// prepare checks the chart and the release and makes what templates see.
func prepare(s *source.Source, spec *v1alpha1.ApplicationSourceHelm, ch loaded, values map[string]any) (common.Values, error) {
	if kind := ch.Metadata.Type; kind != "" && kind != "application" {
		return nil, problem(s, "cannot render chart %s: it is a %s chart", ch.Name(), kind).Do("render a chart that depends on it")
	}
	if err := resolve(ch.Chart, values); err != nil {
		return nil, problem(s, "cannot resolve the dependencies of chart %s: %w", ch.Name(), err).Do("compare Chart.yaml and the values")
	}
	caps, err := newCapabilities(s, spec, ch.listsAPIs)
	if err != nil {
		return nil, err
	}
	if err := caps.admit(s, ch.Chart); err != nil {
		return nil, err
	}
	release, err := releaseOptions(s, spec)
	if err != nil {
		return nil, err
	}
	top, err := util.ToRenderValuesWithSchemaValidation(ch.Chart, values, release, nil, true)
	if err != nil {
		return nil, problem(s, "cannot render chart %s: %w", ch.Name(), err).Do("compare the values with those of the chart")
	}
	if !spec.SkipSchemaValidation {
		if err := fit(s, ch, top); err != nil {
			return nil, err
		}
	}
	top["Capabilities"] = caps
	return top, nil
}

func releaseOptions(s *source.Source, spec *v1alpha1.ApplicationSourceHelm) (common.ReleaseOptions, error) {
	o := common.ReleaseOptions{Name: s.Name, Namespace: s.Namespace, Revision: 1, IsInstall: true}
	if spec.ReleaseName != "" {
		o.Name = spec.ReleaseName
	}
	if spec.Namespace != "" {
		o.Namespace = spec.Namespace
	}
	if err := chartutil.ValidateReleaseName(o.Name); err != nil {
		return o, problem(s, "cannot use release name %q: %w", o.Name, err).Do("set helm.releaseName")
	}
	return o, nil
}

func problem(s *source.Source, format string, args ...any) *gitops.Problem {
	return gitops.Problemf(gitops.Invalid, format, args...).At(s.Tree.Where(s.Path, 0))
}

// clone copies what resolving dependencies changes of a chart; files and
// values stay shared.
func clone(c *chart.Chart) *chart.Chart {
	out := *c
	metadata := *c.Metadata
	metadata.Dependencies = nil
	for _, d := range c.Metadata.Dependencies {
		if d == nil {
			continue
		}
		dependency := *d
		metadata.Dependencies = append(metadata.Dependencies, &dependency)
	}
	out.Metadata = &metadata
	out.SetDependencies()
	for _, d := range c.Dependencies() {
		out.AddDependency(clone(d))
	}
	return &out
}
