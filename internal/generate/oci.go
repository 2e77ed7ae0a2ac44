package generate

import "github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"

// ociKind reads an OCI artifact as the git generator reads a repository: the
// sources tell the two apart by their address.
type ociKind struct{}

func (ociKind) template(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	if g.OCI == nil {
		return nil
	}
	return &g.OCI.Template
}

func (ociKind) params(r *run, g *v1alpha1.ApplicationSetGenerator) ([]paramSet, error) {
	git := &v1alpha1.GitGenerator{
		RepoURL: g.OCI.RepoURL, Revision: g.OCI.Revision,
		PathParamPrefix: g.OCI.PathParamPrefix, Values: g.OCI.Values,
	}
	for _, d := range g.OCI.Directories {
		git.Directories = append(git.Directories, v1alpha1.GitDirectoryGeneratorItem(d))
	}
	for _, f := range g.OCI.Files {
		git.Files = append(git.Files, v1alpha1.GitFileGeneratorItem(f))
	}
	return r.treeParams("oci", git)
}
