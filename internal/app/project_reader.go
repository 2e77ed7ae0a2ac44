package app

import (
	"context"
	"errors"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/follow"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/source"
)

// projects reads AppProjects of the control namespace out of the cache, with
// the rules that they have from elsewhere.
type projects struct {
	client    client.Reader
	namespace string
	// settings is what argocd-cm says; clusters and repos are what belongs to
	// a project, the latter by their addresses.
	settings func() map[string]string
	clusters func(project string) []gitops.Cluster
	repos    func(project string) []string
}

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

func (p projects) get(ctx context.Context, name string) (*v1alpha1.AppProject, error) {
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

func (p projects) HasProject(ctx context.Context, name string) (bool, error) {
	err := p.client.Get(ctx, types.NamespacedName{Namespace: p.namespace, Name: name}, &v1alpha1.AppProject{})
	if client.IgnoreNotFound(err) != nil {
		return false, err
	}
	return err == nil, nil
}

// events hands events on to the recorder of client-go, which joins those that
// repeat and never blocks.
type events struct{ recorder record.EventRecorder }

func (e events) Event(obj client.Object, kind, reason, message string) {
	e.recorder.Event(obj, kind, reason, message)
}

// setStatus writes the status of ApplicationSets, which is a subresource of
// its own; that of Applications is not.
type setStatus struct{ client client.Client }

func (s setStatus) Patch(ctx context.Context, obj client.Object, patch client.Patch, _ ...client.PatchOption) error {
	return s.client.Status().Patch(ctx, obj, patch)
}

// credentials keeps the repository Secrets by name, and tells the sources of
// all of them whenever one changes.
type credentials struct {
	sources *source.Credentials

	mu      sync.Mutex
	secrets map[types.NamespacedName]source.Repository
}

func newCredentials(s *source.Credentials) *credentials {
	return &credentials{sources: s, secrets: map[types.NamespacedName]source.Repository{}}
}

func (c *credentials) Put(name types.NamespacedName, secret *corev1.Secret) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if secret == nil {
		delete(c.secrets, name)
	} else {
		parsed, err := source.ParseRepository(secret)
		if err != nil {
			delete(c.secrets, name) // what it said before holds no longer, either
			c.replace()
			return err
		}
		c.secrets[name] = parsed
	}
	c.replace()
	return nil
}

func (c *credentials) replace() {
	all := make([]source.Repository, 0, len(c.secrets))
	for _, r := range c.secrets {
		all = append(all, r)
	}
	c.sources.Replace(all)
}

// of lists the repositories that belong to a project.
func (c *credentials) of(project string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, r := range c.secrets {
		if !r.Template && r.Project == project {
			out = append(out, r.URL)
		}
	}
	slices.Sort(out)
	return out
}

// ReadProject reads a project with the rules of its global projects. Those
// are left out where the settings of the installation cannot be read.
func ReadProject(ctx context.Context, c client.Reader, namespace, name string) (*v1alpha1.AppProject, error) {
	settings, err := follow.Read(ctx, c, namespace, v1alpha1.SettingsName)
	if err != nil {
		settings = nil
	}
	p := projects{
		client: c, namespace: namespace, settings: func() map[string]string { return settings },
		clusters: func(string) []gitops.Cluster { return nil }, repos: func(string) []string { return nil },
	}
	return p.Project(ctx, name)
}
