package rights

import (
	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// kubernetes is an access in the words of Kubernetes' roles. To sync is
// to write the operation of an Application.
func kubernetes(a reach.Access) authorizationv1.ResourceAttributes {
	out := authorizationv1.ResourceAttributes{Group: v1alpha1.Group, Resource: a.Resource, Verb: a.Action, Namespace: a.Namespace, Name: a.Name}
	switch a.Resource {
	case "projects":
		out.Resource = "appprojects"
	case "clusters", "repositories":
		out.Group, out.Resource, out.Name = "", "secrets", ""
		if out.Verb == "get" {
			out.Verb = "list"
		}
	case "audit":
		out.Group, out.Name = causeway.Group, ""
	case "logs":
		out.Resource, out.Subresource = "applications", "logs"
	case "exec":
		out.Resource, out.Subresource = "applications", "exec"
	}
	switch a.Action {
	case "sync", "override":
		out.Verb = "patch"
	case "update":
		// Of these no more than annotations is changed, as kubectl annotate does it.
		if a.Resource == "applications" || a.Resource == "applicationsets" {
			out.Verb = "patch"
		}
	case "list":
		out.Name = ""
	}
	return out
}
