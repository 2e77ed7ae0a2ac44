package render

import (
	"errors"
	"io/fs"
	"path"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// typeOf is the type that the spec has settings for, else the one that the
// folder's content tells.
func typeOf(tree *record.Tree, dir string, spec v1alpha1.ApplicationSource) (gitops.SourceType, error) {
	explicit, err := spec.ExplicitType()
	if err != nil {
		return "", gitops.Problemf(gitops.Invalid, "%w", err)
	}
	if explicit != "" {
		return gitops.SourceType(explicit), nil
	}
	for _, c := range []struct {
		file string
		kind gitops.SourceType
	}{
		{"kustomization.yaml", gitops.SourceKustomize},
		{"kustomization.yml", gitops.SourceKustomize},
		{"Kustomization", gitops.SourceKustomize},
		{"Chart.yaml", gitops.SourceHelm},
	} {
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
