package app

import (
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/hub"
)

// parser reads cluster Secrets by the installation's settings.
func (e *Engine) parser() fleet.Parser {
	p := hub.Parser(e.settings.Data, e.cfg.NoPrograms)
	p.Pause = e.cfg.Pauses.Credential
	return p
}
