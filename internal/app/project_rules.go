package app

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/hub"
)

// permitted are the engine's sources for whoever acts for a project.
func (e *Engine) permitted() hub.Permitted {
	return hub.Permitted{Registry: e.sources, Projects: e.projects()}
}

// projects are the AppProjects with all that they have from elsewhere.
func (e *Engine) projects() hub.Projects {
	return hub.Projects{StoredProjects: e.stored(), Settings: e.settings.Data, Clusters: e.fleet.OfProject, Repos: e.creds.Of}
}

// stored are the AppProjects as they are written.
func (e *Engine) stored() hub.StoredProjects {
	return hub.StoredProjects{Client: e.manager.GetClient(), Namespace: e.cfg.Namespace}
}

// destinations tell what they permit.
func (e *Engine) destinations() hub.Destinations {
	return hub.Destinations{Projects: e.projects(), Fleet: e.fleet}
}

// leadsTo reports whether the project of an Application permits where it goes to.
func (e *Engine) leadsTo(ctx context.Context, app *v1alpha1.Application) (bool, error) {
	return e.destinations().LeadsTo(ctx, app, e.cfg.Namespace)
}
