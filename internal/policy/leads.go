package policy

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Leads checks the destination of an Application by what it says and by the
// clusters that this may mean, of which there are none where nobody knows it.
// clusters are those that belong to the project. Where the project does not
// permit it, the error has what the Application says and nothing of a cluster: it
// is the same whether there is one or not. One that nobody knows is permitted
// where the project would permit it whichever cluster it were.
func Leads(p *v1alpha1.AppProject, d v1alpha1.ApplicationDestination, meant, clusters []gitops.Cluster) error {
	if len(meant) == 0 && (d.Name == "") == (d.Server == "") {
		return nil // it leads nowhere, whatever there is
	}
	asked := Target{Server: d.Server, Name: d.Name, Namespace: d.Namespace}
	permitted := len(meant) > 0 || surely(p, asked)
	for i := range meant {
		permitted = permitted && Destination(p, Target{Server: meant[i].Server, Name: meant[i].Name, Namespace: d.Namespace}, clusters) == nil
	}
	if permitted {
		return nil
	}
	if err := Destination(p, asked, clusters); err != nil {
		return err
	}
	return notPermitted(p, asked)
}

// ReachesMeant checks that a project permits something on each cluster that a destination
// may mean. Its error is the same where it does not and where there is none.
func ReachesMeant(p *v1alpha1.AppProject, d v1alpha1.ApplicationDestination, meant, clusters []gitops.Cluster) error {
	permitted := len(meant) > 0
	for i := range meant {
		permitted = permitted && Reaches(p, Target{Server: meant[i].Server, Name: meant[i].Name}, clusters) == nil
	}
	if permitted {
		return nil
	}
	return denied("there is no cluster %s, or project %q permits nothing there", nameOf(Target{Server: d.Server, Name: d.Name}), p.Name).
		Do("add the cluster to spec.destinations of the project, or a cluster Secret for it")
}

// surely reports whether a project permits a target of which either the name or
// the server is known, whatever the other one is.
func surely(p *v1alpha1.AppProject, t Target) bool {
	if p.Spec.PermitOnlyProjectScopedClusters {
		return false
	}
	found := false
	for _, d := range p.Spec.Destinations {
		permitted, refused := judge(d, t)
		other := d.Server
		if t.Name == "" {
			other = d.Name
		}
		namespace := matchDeny(d.Namespace, t.Namespace)
		switch {
		case permitted, other == "*" && namespace:
			found = true
		case refused, denies(other), !namespace && denies(d.Namespace):
			return false
		}
	}
	return found
}
