package render

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// overrideFiles are the files that change a source, in their order.
func overrideFiles(app string) []string {
	return []string{".argocd-source.yaml", ".argocd-source-" + app + ".yaml"}
}

// overridden merges .argocd-source.yaml, then .argocd-source-<app>.yaml of
// the source's folder over the spec, as JSON merge patches. They cannot
// change where the source is, nor where its repository's credentials go.
func (r *run) overridden(tree *record.Tree, dir string, spec v1alpha1.ApplicationSource) (v1alpha1.ApplicationSource, error) {
	for _, base := range overrideFiles(r.in.trackingName()) {
		name := path.Join(dir, base)
		text, err := tree.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return spec, source.Missing(source.File{Tree: tree, Name: name}, "override file", "", err)
		}
		if r.in.plain {
			return spec, source.ErrNotPlain
		}
		merged, err := merge(spec, text)
		if err != nil {
			return spec, gitops.Problemf(gitops.Invalid, "cannot merge override file %s: %w", name, err).
				At(tree.Where(name, 0)).Do("write fields of an application's source, such as helm or kustomize")
		}
		spec = merged
	}
	return spec, nil
}

// passes reports whether a source has its repository's credentials sent to other hosts.
func passes(spec v1alpha1.ApplicationSource) bool {
	return spec.Helm != nil && spec.Helm.PassCredentials
}

func merge(spec v1alpha1.ApplicationSource, text []byte) (v1alpha1.ApplicationSource, error) {
	patch, err := bounded.ToJSON(text)
	if err != nil {
		return spec, err
	}
	if string(patch) == "null" {
		return spec, nil
	}
	doc, err := json.Marshal(spec)
	if err != nil {
		return spec, err
	}
	doc, err = jsonpatch.MergePatch(doc, patch)
	if err != nil {
		return spec, err
	}
	var out v1alpha1.ApplicationSource
	if err := json.Unmarshal(doc, &out); err != nil {
		return spec, err
	}
	out.RepoURL, out.Path, out.Chart, out.TargetRevision = spec.RepoURL, spec.Path, spec.Chart, spec.TargetRevision
	out.Ref, out.Name = spec.Ref, spec.Name
	if out.Helm != nil {
		out.Helm.PassCredentials = passes(spec)
	}
	return out, nil
}
