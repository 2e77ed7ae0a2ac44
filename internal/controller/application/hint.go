package application

import (
	"errors"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// hinted adds to a destination that nobody knows the cluster of the
// application's own project that may have been meant. Those of other projects
// are nothing to tell its writer, and neither are those of a project that the
// application only names.
func (r *Reconciler) hinted(err error, project *v1alpha1.AppProject, app *v1alpha1.Application) error {
	var p *gitops.Problem
	if !isNotFound(err) || !errors.As(err, &p) || policy.Namespace(project, app.Namespace, r.Namespace) != nil {
		return err
	}
	d := app.Spec.Destination
	want, known := d.Name, []string(nil)
	if want == "" {
		want = d.Server
	}
	for _, c := range r.Fleet.OfProject(project.Name) {
		switch {
		case gitops.Draining(c.Annotations): // nobody is to come
		case d.Name != "":
			known = append(known, c.Name)
		default:
			known = append(known, c.Server)
		}
	}
	told := *p
	told.Fix += gitops.DidYouMean(want, known)
	return &told
}
