package compare

import (
	"cmp"
	"errors"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// hinted adds to a destination that nobody knows, or that the project does not
// permit, the cluster that may have been meant: of the application's own project,
// or of none. Those of other projects are nothing to tell its writer, and neither
// are those of a project that the application only names.
func (c *Comparer[C]) hinted(err error, project *v1alpha1.AppProject, app *v1alpha1.Application) error {
	p, ok := errors.AsType[*gitops.Problem](err)
	if !ok || p.Kind != gitops.NotFound && p.Kind != gitops.Forbidden || policy.Namespace(project, app.Namespace, c.Namespace) != nil {
		return err
	}
	d := app.Spec.Destination
	want, known := cmp.Or(d.Name, d.Server), []string(nil)
	for _, near := range slices.Concat(c.Fleet.OfProject(project.Name), c.Fleet.OfNobody()) {
		value := near.Server
		if d.Name != "" {
			value = near.Name
		}
		if value != want && !gitops.Draining(near.Annotations) { // to one that is left nobody is to come
			known = append(known, value)
		}
	}
	told := *p
	told.Fix, told.Near = p.Advice()+gitops.DidYouMean(want, known), nil
	return &told
}
