package reach

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Rights say what somebody may do. The user may be nil: nobody signed in.
type Rights interface {
	// Visible tells which Applications somebody may read.
	Visible(ctx context.Context, u *auth.User) (func(*view.Row) bool, error)
	// Permit returns why somebody may not; a gitops.Problem of kind Forbidden,
	// or Refused for nobody. Any other error is that nobody knows yet.
	Permit(ctx context.Context, u *auth.User, a Access) error
	// Might reports whether something of the kind may be done to any object, of
	// the access's project where it has one. Its name is not looked at.
	Might(ctx context.Context, u *auth.User, a Access) bool
}

// Access is something that somebody wants to do, in the words of Argo CD's policies.
type Access struct {
	// Resource is applications, applicationsets, projects, repositories,
	// clusters, logs, exec, audit.
	Resource string
	// Action is get, create, update, delete, sync, override, action/….
	Action string
	// Project, Namespace and Name are of the object, as far as it has them.
	Project, Namespace, Name string
}

// Application is an access to one, or to its logs.
func Application(resource, action, project string, k view.Key) Access {
	return Access{Resource: resource, Action: action, Project: project, Namespace: k.Namespace, Name: k.Name}
}

// Cluster is an access to one: policies know it by its address.
func Cluster(action, server, project string) Access {
	return Access{Resource: "clusters", Action: action, Project: project, Name: server}
}

// ReadCluster is the access of who reads one.
func ReadCluster(c *clusters.Health) Access { return Cluster("get", c.Server, c.Project) }

// Repository is an access to one: policies know it by its address.
func Repository(action, url, project string) Access {
	return Access{Resource: "repositories", Action: action, Project: project, Name: url}
}

// Project is an access to one.
func Project(action, namespace, name string) Access {
	return Access{Resource: "projects", Action: action, Project: name, Namespace: namespace, Name: name}
}

// ReadProject is the access of who reads one.
func ReadProject(p *v1alpha1.AppProject) Access { return Project("get", p.Namespace, p.Name) }

// Set is an access to an ApplicationSet: policies judge by the project of its
// template.
func Set(action, project string, k view.Key) Access {
	return Access{Resource: "applicationsets", Action: action, Project: project, Namespace: k.Namespace, Name: k.Name}
}

// ReadSet is the access of who reads one.
func ReadSet(set *v1alpha1.ApplicationSet) Access {
	return Set("get", set.Spec.Template.Spec.GetProject(), view.Key{Namespace: set.Namespace, Name: set.Name})
}
