package guard

import (
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// OfClusters is the account of Clusters, whose Applications go with them: those
// are the operators'.
const OfClusters = "clusters/"

// OfProject is the account of a project: of what its Applications delete, and of
// the sets whose template names it.
func OfProject(name string) string { return "project/" + name }

// OfSet is the account of an ApplicationSet. One that generates into several
// projects has an account of its own.
func OfSet(set *v1alpha1.ApplicationSet) string {
	project := set.Spec.Template.Spec.GetProject()
	if strings.Contains(project, "{{") {
		return "set/" + set.Namespace + "/" + set.Name
	}
	return OfProject(project)
}
