package gitops

import "github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"

// ByName finds Applications of one namespace by their names. It points into the list.
func ByName(apps []v1alpha1.Application) map[string]*v1alpha1.Application {
	out := make(map[string]*v1alpha1.Application, len(apps))
	for i := range apps {
		out[apps[i].Name] = &apps[i]
	}
	return out
}
