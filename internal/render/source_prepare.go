package render

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// prepare checks a source's path, merges its overrides and finds its type.
func (r *run) prepare(ctx context.Context, i int, spec v1alpha1.ApplicationSource) (*source.Source, gitops.SourceType, error) {
	tree := r.trees[i]
	dir, err := folder(tree, spec)
	if err != nil {
		return nil, "", err
	}
	r.folders[i] = dir
	spec, err = r.overridden(tree, dir, spec)
	if err != nil {
		return nil, "", err
	}
	out := &source.Source{
		Name:      r.in.App.Name,
		Namespace: r.in.App.Spec.Destination.Namespace,
		Project:   r.in.App.Spec.GetProject(),
		Spec:      spec,
		Tree:      tree,
		Path:      dir,

		GeneratePaths: r.in.App.Annotations[v1alpha1.AnnotationManifestGeneratePaths],
		Refs:          r.refs,
		Env:           r.in.environment(tree.Revision, r.facts, spec),
		Facts:         r.facts,
		Settings:      r.in.Settings,
		Values:        r.values,
		Output:        r.output,
		Loaded:        r.loaded,
		Explained:     r.explained,
		Plain:         r.in.plain,
	}
	if r.remotes.from != nil {
		out.Remote = r.remotes
	}
	kind, err := r.typeOf(ctx, out)
	if err == nil && out.Plain && kind != gitops.SourceDirectory {
		err = source.ErrNotPlain
	}
	return out, kind, err
}

// environment is the build environment of a source. Whoever asks for a revision, or for a
// fact of the cluster, may have it recorded.
func (in Input) environment(revision func() string, facts *record.Facts, spec v1alpha1.ApplicationSource) environ.Env {
	short := func(n int) func() string {
		return func() string {
			all := revision()
			return all[:min(n, len(all))]
		}
	}
	return environ.Env{
		"ARGOCD_APP_NAME":                   environ.Text(in.trackingName()),
		"ARGOCD_APP_NAMESPACE":              environ.Text(in.App.Spec.Destination.Namespace),
		"ARGOCD_APP_PROJECT_NAME":           environ.Text(in.App.Spec.GetProject()),
		"ARGOCD_APP_REVISION":               revision,
		"ARGOCD_APP_REVISION_SHORT":         short(7),
		"ARGOCD_APP_REVISION_SHORT_8":       short(8),
		"ARGOCD_APP_SOURCE_REPO_URL":        environ.Text(spec.RepoURL),
		"ARGOCD_APP_SOURCE_PATH":            environ.Text(spec.Path),
		"ARGOCD_APP_SOURCE_TARGET_REVISION": environ.Text(spec.TargetRevision),
		"KUBE_VERSION":                      facts.KubeVersion,
		"KUBE_API_VERSIONS":                 func() string { return strings.Join(facts.APIVersions(), ",") },
	}
}

// folder is the source's folder in its tree.
func folder(tree *record.Tree, spec v1alpha1.ApplicationSource) (string, error) {
	if spec.Chart != "" {
		return ".", nil
	}
	if path.IsAbs(spec.Path) {
		return "", gitops.Problemf(gitops.Invalid, "cannot use path %s: it is absolute", spec.Path).Do("write the path relative to the root of the repository")
	}
	dir, ok := source.Inside(".", spec.Path)
	if !ok {
		return "", gitops.Problemf(gitops.Invalid, "cannot use path %s: it is outside the repository", spec.Path).Do("write a path inside the repository")
	}
	info, err := tree.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		p := gitops.Problemf(gitops.NotFound, "cannot find path %s in the repository", spec.Path)
		p.Err = err
		return "", p.Do(near(tree, dir))
	}
	if err != nil {
		return "", source.Missing(source.File{Tree: tree, Name: dir}, "path", "use a folder inside the repository", err)
	}
	if !info.IsDir() {
		return "", gitops.Problemf(gitops.Invalid, "cannot use path %s: it is a file", spec.Path).
			Do(fmt.Sprintf("use its folder %s, with directory.include: %s for this file alone", path.Dir(dir), path.Base(dir)))
	}
	return dir, nil
}

// maxNear bounds the folders that an error lists.
const maxNear = 8

// near names the folders beside the first part of a path that is missing.
func near(tree *record.Tree, dir string) string {
	parent := path.Dir(dir)
	for parent != "." {
		if info, err := tree.Stat(parent); err == nil && info.IsDir() {
			break
		}
		parent = path.Dir(parent)
	}
	entries, err := tree.ReadDir(parent)
	if err != nil {
		return "correct the path or the revision"
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && len(names) < maxNear {
			names = append(names, path.Join(parent, e.Name()))
		}
	}
	if len(names) == 0 {
		return "correct the path or the revision; " + parent + " has no folders"
	}
	return "correct the path or the revision; there are " + strings.Join(names, ", ")
}
