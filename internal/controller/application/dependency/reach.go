package dependency

import (
	"fmt"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
)

// reach is which Applications and ApplicationSets somebody may learn of by
// depending on them. Whether another team has one, and how it does, is theirs.
type reach struct {
	// namespace has them all within reach; none does when it is empty.
	namespace string
	// project has its own within reach, wherever they are.
	project string
	// everywhere is the reach of operators.
	everywhere bool
}

// reachOf is that of who writes an Application, or the set that made it.
func (c *Checker) reachOf(app *v1alpha1.Application) reach {
	return reach{namespace: app.Namespace, project: app.Spec.GetProject(), everywhere: app.Namespace == c.Namespace}
}

// reachOfFiles is that of who writes an Application's manifests. The control
// namespace has Applications of all teams, and is nobody's own.
func (c *Checker) reachOfFiles(app *v1alpha1.Application) reach {
	within := c.reachOf(app)
	if within.everywhere {
		within.namespace, within.everywhere = "", false
	}
	return within
}

// all reports whether nothing of a namespace is out of reach.
func (w reach) all(namespace string) bool {
	return w.everywhere || namespace != "" && namespace == w.namespace
}

func (w reach) app(app *v1alpha1.Application) bool {
	return w.all(app.Namespace) || app.Spec.GetProject() == w.project
}

// set is about the project that the set's own template names.
func (w reach) set(set *v1alpha1.ApplicationSet) bool {
	return w.all(set.Namespace) || set.Spec.Template.Spec.GetProject() == w.project
}

// none is the one answer about what is not there and what is out of reach.
func (w reach) none(ref depend.Ref, namespace string) string {
	return fmt.Sprintf("%s cannot be depended on from here: namespace %s has none of project %q, and others are not looked at", ref, namespace, w.project)
}
