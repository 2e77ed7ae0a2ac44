package serve

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// projectList finds AppProjects in the hub's cache.
type projectList struct {
	reader    client.Reader
	namespace string
}

// Project implements rbac.Projects.
func (p *projectList) Project(name string) *v1alpha1.AppProject {
	project := &v1alpha1.AppProject{}
	if p.reader.Get(context.Background(), types.NamespacedName{Namespace: p.namespace, Name: name}, project, client.UnsafeDisableDeepCopy) != nil {
		return nil
	}
	return project
}
