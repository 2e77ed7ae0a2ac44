package inspect

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/serve"
)

// subject is what is looked at.
type subject = compare.Subject[glanced]

// admission is an Application that its project permits, with what its objects
// are judged by.
type admission struct {
	subject

	// marking is how the installation marks objects.
	marking gitops.Tracking
}

// admit decides whether anything is read or done for an Application: where it
// lives, its sources and its destination are what its project permits. Who may
// write it may name in it what they like, and repositories and clusters are
// read with the engine's rights. The error has the words of the Application's
// condition. All of it is read from caches.
func (i *Inspector) admit(ctx context.Context, app *v1alpha1.Application) (*admission, error) {
	project, err := i.rules().Project(ctx, app.Spec.GetProject())
	if err != nil {
		return nil, err
	}
	admitted, err := i.comparer().Admit(project, app)
	if err != nil {
		return nil, err
	}
	return &admission{subject: *admitted, marking: i.settings.Tracking()}, nil
}

// Leads names the cluster of an Application whose project permits it there,
// whatever else it may not.
func (i *Inspector) Leads(ctx context.Context, app *v1alpha1.Application) (cluster string, permitted bool) {
	project, err := i.rules().Project(ctx, app.Spec.GetProject())
	if err != nil || policy.Namespace(project, app.Namespace, i.cfg.Namespace) != nil {
		return "", false
	}
	found, err := i.comparer().Destination(project, app.Spec.Destination)
	if err != nil {
		return "", false
	}
	return found.Desc().Name, true
}

// Reads reports whether the project of an Application permits its sources, and the
// namespace that it is in.
func (i *Inspector) Reads(ctx context.Context, app *v1alpha1.Application) bool {
	project, err := i.rules().Project(ctx, app.Spec.GetProject())
	return err == nil && policy.Origins(policy.Question{Project: project, App: app, ControlNamespace: i.cfg.Namespace}) == nil
}

// rules are those of projects as the controller has them, with the repositories
// and clusters that belong to them.
func (i *Inspector) rules() hub.Projects {
	return hub.Projects{StoredProjects: i.stored(), Settings: i.settings.Data, Clusters: i.fleet.OfProject, Repos: i.creds.Of}
}

// stored are the AppProjects as they are written.
func (i *Inspector) stored() hub.StoredProjects {
	return hub.StoredProjects{Client: i.client, Namespace: i.cfg.Namespace}
}

// destinations tell what they permit.
func (i *Inspector) destinations() hub.Destinations {
	return hub.Destinations{Projects: i.rules(), Fleet: i.fleet}
}

// read reads a live object, if the project permits it where the cluster has it:
// a cluster-scoped one has no namespace, whatever who names it says.
func (a *admission) read(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	m, err := a.Cluster.Mapping(ctx, gvk)
	if err != nil {
		return nil, err
	}
	if m.Scope.Name() == meta.RESTScopeNameRoot {
		namespace = ""
	}
	if err := a.Permits(gitops.Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: namespace, Name: name}); err != nil {
		return nil, err
	}
	return a.Cluster.Get(ctx, gvk, namespace, name)
}

// resources are those of the Application's status that its project permits:
// the status is no subresource, and says what a writer of the Application wants.
func (a *admission) resources() []v1alpha1.ResourceStatus {
	out := make([]v1alpha1.ResourceStatus, 0, len(a.App.Status.Resources))
	for j := range a.App.Status.Resources {
		if s := &a.App.Status.Resources[j]; a.Permits(keyOfStatus(s)) == nil {
			out = append(out, *s)
		}
	}
	return out
}

func keyOfStatus(s *v1alpha1.ResourceStatus) gitops.Key {
	return gitops.Key{Group: s.Group, Kind: s.Kind, Namespace: s.Namespace, Name: s.Name}
}

// List implements observe.Lister: of what the project does not permit there is
// nothing, as in Argo CD.
func (a *admission) List(ctx context.Context, gvk schema.GroupVersionKind, namespace string) ([]unstructured.Unstructured, error) {
	if a.Permits(gitops.Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: namespace}) != nil {
		return nil, nil //nolint:nilerr // it is left out
	}
	return a.Cluster.List(ctx, gvk, namespace)
}

// Admitted is admit for the server.
func (i *Inspector) Admitted(ctx context.Context, app *v1alpha1.Application) (*serve.Admitted, error) {
	a, err := i.admit(ctx, app)
	if err != nil {
		return nil, err
	}
	return &serve.Admitted{Cluster: a.Cluster.Cluster, Resources: a.resources()}, nil
}
