package hub

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/follow"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// StoredProjects reads AppProjects of the control namespace as they are written.
type StoredProjects struct {
	Client    client.Reader
	Namespace string
}

// Projects reads them with the rules that they have from elsewhere.
type Projects struct {
	StoredProjects

	// Settings is what argocd-cm says; Clusters and Repos are what belongs to
	// a project, the latter by their addresses.
	Settings func() map[string]string
	Clusters func(project string) []gitops.Cluster
	Repos    func(project string) []string
}

// Project reads a project with what its global projects, clusters and repositories add.
func (p Projects) Project(ctx context.Context, name string) (*v1alpha1.AppProject, error) {
	project, err := p.get(ctx, name)
	if err != nil {
		return nil, err
	}
	project = policy.WithOwn(project, p.Clusters(name), p.Repos(name))
	all, err := policy.ParseGlobals(p.Settings()[v1alpha1.SettingGlobals])
	if err != nil {
		return nil, err
	}
	globals, err := policy.Globals(project, all)
	if err != nil {
		return nil, err
	}
	for _, name := range globals {
		global, err := p.get(ctx, name)
		if gitops.IsProblem(err, gitops.NotFound) {
			continue // there is nothing to inherit, as in Argo CD
		}
		if err != nil {
			return nil, err
		}
		project = policy.Inherit(project, global)
	}
	return project, nil
}

// IsGlobal reports whether other projects have the rules of a project.
func IsGlobal(settings map[string]string, name string) bool {
	all, err := policy.ParseGlobals(settings[v1alpha1.SettingGlobals])
	return err == nil && slices.ContainsFunc(all, func(g policy.GlobalProject) bool { return g.ProjectName == name })
}

func (p StoredProjects) get(ctx context.Context, name string) (*v1alpha1.AppProject, error) {
	project := &v1alpha1.AppProject{}
	err := p.Client.Get(ctx, types.NamespacedName{Namespace: p.Namespace, Name: name}, project)
	if client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	if err != nil {
		return nil, gitops.Problemf(gitops.NotFound, "cannot find AppProject %q in namespace %s: %w", name, p.Namespace, err).
			Do("create it, or correct spec.project")
	}
	return project, nil
}

// HasProject reports whether there is a project of a name.
func (p StoredProjects) HasProject(ctx context.Context, name string) (bool, error) {
	err := p.Client.Get(ctx, types.NamespacedName{Namespace: p.Namespace, Name: name}, &v1alpha1.AppProject{})
	if client.IgnoreNotFound(err) != nil {
		return false, err
	}
	return err == nil, nil
}

// ReadProject reads a project with the rules of its global projects. Those
// are left out where the settings of the installation cannot be read.
func ReadProject(ctx context.Context, c client.Reader, namespace, name string) (*v1alpha1.AppProject, error) {
	settings, err := follow.Read(ctx, c, namespace, v1alpha1.SettingsName)
	if err != nil {
		settings = nil
	}
	p := Projects{
		StoredProjects: StoredProjects{c, namespace}, Settings: func() map[string]string { return settings },
		Clusters: func(string) []gitops.Cluster { return nil }, Repos: func(string) []string { return nil },
	}
	return p.Project(ctx, name)
}
