package policy

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Leads checks the destination of an Application by what it says and by the
// clusters that this may mean, of which there are none where nobody knows it.
// clusters are those that belong to the project. Where the project does not
// permit it, the error has what the Application says and nothing of a cluster: it
// is the same whether there is one or not; the hub, and what belongs to the project,
// it names. One that nobody knows is permitted
// where the project would permit it whichever cluster it were.
func Leads(p *v1alpha1.AppProject, d v1alpha1.ApplicationDestination, meant, clusters []gitops.Cluster) error {
	if len(meant) == 0 && (d.Name == "") == (d.Server == "") {
		return nil // it leads nowhere, whatever there is
	}
	asked := Target{Server: d.Server, Name: d.Name, Namespace: d.Namespace}
	if len(meant) == 0 && surely(p, asked) && !p.Spec.PermitOnlyProjectScopedClusters {
		return nil
	}
	permitted := len(meant) > 0
	for i := range meant {
		err := Destination(p, Target{Server: meant[i].Server, Name: meant[i].Name, Namespace: d.Namespace}, clusters)
		if err != nil && len(meant) == 1 && isOpen(p, &meant[i]) {
			return err
		}
		permitted = permitted && err == nil
	}
	if permitted {
		return nil
	}
	return refusal(p, asked, clusters)
}

// isOpen reports whether whoever has applications in a project may know a cluster.
func isOpen(p *v1alpha1.AppProject, c *gitops.Cluster) bool {
	return c.Project == p.Name || c.Project == "" && gitops.IsHub(c.Server)
}

// refusal is why a project does not permit what an Application says, as far as
// that can be told without its cluster.
func refusal(p *v1alpha1.AppProject, asked Target, clusters []gitops.Cluster) error {
	if surely(p, asked) {
		if err := scoped(p, asked, clusters); err != nil {
			return err
		}
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

// surely reports whether the destinations of a project permit a target of which
// either the name or the server is known, whatever the other one is.
func surely(p *v1alpha1.AppProject, t Target) bool {
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
