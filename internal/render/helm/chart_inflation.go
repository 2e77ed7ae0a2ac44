package helm

import (
	"bytes"
	"cmp"
	"context"
	"errors"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Inflation is a chart that another renderer wants the manifests of, as a
// kustomization's helmCharts do.
type Inflation struct {
	// At is the chart's folder. Where At.Tree is nil the chart is Chart,
	// which is read through Source.Remote.
	At    source.File
	Chart gitops.SourceRef
	// ReleaseName and Namespace are those of the source when empty.
	ReleaseName, Namespace string
	// ValueFiles are merged over the chart's own values in their order, then
	// Values, each a YAML mapping.
	ValueFiles []source.File
	Values     [][]byte
	// IncludeCRDs adds what is in crds/. SkipHooks and SkipTests leave those out.
	IncludeCRDs, SkipHooks, SkipTests bool
	// KubeVersion and APIVersions stand for the cluster's where not empty.
	KubeVersion string
	APIVersions []string
	// Output bounds what the chart gives, in bytes; nil has no bound.
	Output *bounded.Budget
}

// Inflate renders a chart for a source that is no chart itself: YAML
// documents in the order of Render. Warnings go to the source.
func (r *Renderer) Inflate(ctx context.Context, s *source.Source, in Inflation) ([]byte, error) {
	at, err := in.at(ctx, s)
	if err != nil {
		return nil, err
	}
	sub := in.source(s, at)
	values, err := in.values(s)
	if err != nil {
		return nil, err
	}
	manifests, err := r.release(ctx, sub, sub.Spec.Helm, values)
	s.WarnOf(sub)
	if life := sub.Lifetime(); life > 0 {
		s.Perishes(life)
	}
	if err != nil {
		return nil, err
	}
	return in.text(ctx, manifests)
}

func (in Inflation) at(ctx context.Context, s *source.Source) (source.File, error) {
	if in.At.Tree != nil {
		return in.At, nil
	}
	if s.Remote == nil {
		return source.File{}, gitops.Problemf(gitops.NotFound, "cannot read chart %s of %s: nothing is read from elsewhere here", in.Chart.Chart, redacted(in.Chart.RepoURL)).
			At(s.Tree.Where(s.Path, 0)).Do("put the chart into the repository")
	}
	tree, err := s.Remote.Tree(ctx, in.Chart)
	if err != nil {
		return source.File{}, err
	}
	return source.File{Tree: tree, Name: "."}, nil
}

// source is the chart as a source of its own.
func (in Inflation) source(s *source.Source, at source.File) *source.Source {
	sub := &source.Source{
		Name: s.Name, Namespace: s.Namespace, Project: s.Project, Tree: at.Tree, Path: at.Name,
		Refs: s.Refs, Env: s.Env, Facts: s.Facts, Remote: s.Remote, Settings: s.Settings, Values: s.Values, Output: in.Output, Loaded: s.Loaded,
	}
	sub.Spec.Helm = &v1alpha1.ApplicationSourceHelm{
		ReleaseName: in.ReleaseName, Namespace: in.Namespace, KubeVersion: in.KubeVersion, APIVersions: in.APIVersions,
		SkipCrds: !in.IncludeCRDs, SkipTests: in.SkipTests,
	}
	return sub
}

func (in Inflation) values(s *source.Source) (map[string]any, error) {
	values := map[string]any{}
	for _, f := range in.ValueFiles {
		text, err := f.Tree.ReadFile(f.Name)
		if err != nil {
			return nil, source.Missing(f, "value file", "correct the name of the value file", err)
		}
		more, err := fileValues(s, f, f.Name, text)
		if err != nil {
			return nil, err
		}
		values = mergeMaps(values, more)
	}
	for _, text := range in.Values {
		more, err := readValues(s, text)
		if err != nil {
			return nil, gitops.Problemf(gitops.Invalid, "cannot read the values for the chart: %s", whereBroken(text, err)).Do("write a YAML mapping")
		}
		values = mergeMaps(values, more)
	}
	return values, nil
}

// text writes the manifests, which are bounded once more: lines of YAML are longer
// than what a template gives where objects are deep.
func (in Inflation) text(ctx context.Context, manifests []gitops.Manifest) ([]byte, error) {
	var out bytes.Buffer
	written := in.Output.Again()
	for _, m := range manifests {
		if in.SkipHooks && m.Object.GetAnnotations()[hookAnnotation] != "" {
			continue
		}
		text, err := bounded.WriteYAML(m.Object.Object)
		if err = cmp.Or(err, ctx.Err(), written.Take(len(text))); err != nil {
			return nil, errors.Join(errors.New("cannot write a manifest of the chart"), err)
		}
		out.WriteString("---\n")
		out.Write(text)
	}
	return out.Bytes(), nil
}
