package app

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// permitted are the engine's sources for whoever acts for a project.
func (e *Engine) permitted() permitted { return permitted{e.sources, e.projects()} }

// projects are the AppProjects with all that they have from elsewhere.
func (e *Engine) projects() projects {
	return projects{storedProjects{e.manager.GetClient(), e.cfg.Namespace}, e.settings.Data, e.fleet.OfProject, e.creds.of}
}

// leadsTo reports whether the project of an Application permits where it goes to.
func (e *Engine) leadsTo(ctx context.Context, app *v1alpha1.Application) (bool, error) {
	return leads{e.projects(), e.fleet}.leadsTo(ctx, app, e.cfg.Namespace)
}

// Permitted are the Applications whose projects permit where they go to.
func (i *Inspector) Permitted(ctx context.Context, all []v1alpha1.Application) ([]v1alpha1.Application, error) {
	var out []v1alpha1.Application
	for n := range all {
		ok, err := leads{i.rules(), i.fleet}.leadsTo(ctx, &all[n], i.cfg.Namespace)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, all[n])
		}
	}
	return out, nil
}
