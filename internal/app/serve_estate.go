package app

import (
	"time"

	"golang.org/x/time/rate"

	"github.com/causeway-gitops/causeway/internal/estate"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/trail"
)

// describe lets people change what the installation is described by.
func (e *Engine) describe(o *api.Options, told *trail.Trail) {
	w := &estate.Writer{Hub: e.cfg.Hub, Engine: e.manager.GetClient(), Namespace: e.cfg.Namespace, Trail: told}
	tries := session.NewTries(rate.Every(estate.ProbeEvery), estate.ProbeBurst)
	o.Members = &estate.Clusters{Writer: w, Parser: e.parser(), Tries: tries, Now: time.Now}
	o.ProjectWriter = &estate.Projects{Writer: w}
	// The Opener asks an address with what was entered for it, and with no Secret of another project.
	repositories := &estate.Repositories{Writer: w, Opener: e.sources, Credentials: e.access, Tries: tries, Now: time.Now}
	o.Repositories, o.RepositoryUse = repositories, repositories
}
