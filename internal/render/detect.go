package render

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// typeOf is the type that a source is rendered as: plain manifests where
// the installation does not allow the one that it has.
func (r *run) typeOf(ctx context.Context, s *source.Source) (gitops.SourceType, error) {
	kind, err := r.ownType(ctx, s)
	if err != nil || kind == gitops.SourceDirectory || !slices.Contains(s.Settings.Disabled, kind) {
		return kind, err
	}
	s.Warn("SourceTypeDisabled", fmt.Sprintf("%s is turned off in ConfigMap argocd-cm, so the folder is rendered as plain manifests", kind), s.Tree.Where(s.Path, 0))
	return gitops.SourceDirectory, nil
}

// ownType is the type that the spec has settings for, else the one that a
// renderer claims, else the one that the folder's content tells.
func (r *run) ownType(ctx context.Context, s *source.Source) (gitops.SourceType, error) {
	explicit, err := s.Spec.ExplicitType()
	if err != nil {
		return "", gitops.Problemf(gitops.Invalid, "%w", err)
	}
	if explicit != "" {
		return gitops.SourceType(explicit), nil
	}
	for _, d := range r.discoverers {
		ok, err := d.Discover(ctx, s)
		if err != nil {
			return "", err
		}
		if ok {
			return d.Type(), nil
		}
	}
	return contentType(s.Tree, s.Path, s.Spec, s.Settings.Disabled)
}

// discoverer is a renderer that looks for its sources.
type discoverer interface {
	source.Renderer
	source.Discoverer
}

// typeFiles tell the type of the folder that has them, in this order.
var typeFiles = []struct {
	file string
	kind gitops.SourceType
}{
	{"kustomization.yaml", gitops.SourceKustomize},
	{"kustomization.yml", gitops.SourceKustomize},
	{"Kustomization", gitops.SourceKustomize},
	{"Chart.yaml", gitops.SourceHelm},
}

// namesIn are the names that each render looks for in the folder of a source.
func namesIn(app string) []string {
	out := overrideFiles(app)
	for _, c := range typeFiles {
		out = append(out, c.file)
	}
	return out
}

func contentType(tree *record.Tree, dir string, spec v1alpha1.ApplicationSource, disabled []gitops.SourceType) (gitops.SourceType, error) {
	for _, c := range typeFiles {
		if slices.Contains(disabled, c.kind) {
			continue
		}
		name := path.Join(dir, c.file)
		info, err := tree.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", source.Missing(source.File{Tree: tree, Name: name}, "file", "", err)
		}
		if !info.IsDir() {
			return c.kind, nil
		}
	}
	if spec.Chart != "" {
		return gitops.SourceHelm, nil
	}
	return gitops.SourceDirectory, nil
}
