package app

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/follow"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// storedProjects reads AppProjects of the control namespace as they are written.
type storedProjects struct {
	client    client.Reader
	namespace string
}

// projects reads them with the rules that they have from elsewhere.
type projects struct {
	storedProjects

	// settings is what argocd-cm says; clusters and repos are what belongs to
	// a project, the latter by their addresses.
	settings func() map[string]string
	clusters func(project string) []gitops.Cluster
	repos    func(project string) []string
}

// Project reads a project with what its global projects, clusters and repositories add.
func (p projects) Project(ctx context.Context, name string) (*v1alpha1.AppProject, error) {
	project, err := p.get(ctx, name)
	if err != nil {
		return nil, err
	}
	project = policy.WithOwn(project, p.clusters(name), p.repos(name))
	all, err := policy.ParseGlobals(p.settings()[v1alpha1.SettingGlobals])
	if err != nil {
		return nil, err
	}
	globals, err := policy.Globals(project, all)
	if err != nil {
		return nil, err
	}
	for _, name := range globals {
		global, err := p.get(ctx, name)
		var missing *gitops.Problem
		if errors.As(err, &missing) && missing.Kind == gitops.NotFound {
			continue // there is nothing to inherit, as in Argo CD
		}
		if err != nil {
			return nil, err
		}
		project = policy.Inherit(project, global)
	}
	return project, nil
}

// isGlobal reports whether other projects have the rules of a project.
func isGlobal(settings map[string]string, name string) bool {
	all, err := policy.ParseGlobals(settings[v1alpha1.SettingGlobals])
	return err == nil && slices.ContainsFunc(all, func(g policy.GlobalProject) bool { return g.ProjectName == name })
}

func (p storedProjects) get(ctx context.Context, name string) (*v1alpha1.AppProject, error) {
	project := &v1alpha1.AppProject{}
	err := p.client.Get(ctx, types.NamespacedName{Namespace: p.namespace, Name: name}, project)
	if client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	if err != nil {
		return nil, gitops.Problemf(gitops.NotFound, "cannot find AppProject %q in namespace %s: %w", name, p.namespace, err).
			Do("create it, or correct spec.project")
	}
	return project, nil
}

// HasProject reports whether there is a project of a name.
func (p storedProjects) HasProject(ctx context.Context, name string) (bool, error) {
	err := p.client.Get(ctx, types.NamespacedName{Namespace: p.namespace, Name: name}, &v1alpha1.AppProject{})
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
	p := projects{
		storedProjects{c, namespace}, func() map[string]string { return settings },
		func(string) []gitops.Cluster { return nil }, func(string) []string { return nil },
	}
	return p.Project(ctx, name)
}
