package route

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// All wakes every application.
func (r *Router) All(ctx context.Context) {
	r.setsOf(func(string) bool { return true })
	r.ring(ctx, func(*v1alpha1.Application) bool { return true })
}

// OfProject wakes the applications of a project, and the sets that asked for it.
func (r *Router) OfProject(ctx context.Context, name string) {
	r.setsOf(func(project string) bool { return project == name })
	r.ring(ctx, func(app *v1alpha1.Application) bool { return app.Spec.GetProject() == name })
}

// Keys wakes those of all projects that want commits signed: other keys are believed.
func (r *Router) Keys(ctx context.Context) {
	var list v1alpha1.AppProjectList
	if !r.list(ctx, &list, "projects") {
		return
	}
	asking := map[string]bool{}
	for i := range list.Items {
		asking[list.Items[i].Name] = asksForSignatures(&list.Items[i])
	}
	r.setsOf(func(project string) bool { return asking[project] })
	r.ring(ctx, func(app *v1alpha1.Application) bool { return asking[app.Spec.GetProject()] })
}

func asksForSignatures(p *v1alpha1.AppProject) bool {
	return len(p.Spec.SignatureKeys) > 0 || p.Spec.SourceIntegrity != nil
}

// setsOf wakes the sets that asked for a project: what it wants signed decides
// what their generators give.
func (r *Router) setsOf(match func(project string) bool) {
	for _, name := range r.Readers.OfProjects(match) {
		r.Sets.Ring(name)
	}
}
