package inspect

import (
	"context"
	"time"

	"github.com/causeway-gitops/causeway/internal/handover"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// Installation reads what the hub has of Argo CD. It writes nothing.
func (i *Inspector) Installation(ctx context.Context) (*takeover.Installation, error) {
	return i.hub().Installation(ctx)
}

// Takeover prepares one. It makes no request.
func (i *Inspector) Takeover(o handover.Options) (*handover.Takeover, error) {
	return handover.New(i.hub(), o)
}

func (i *Inspector) hub() handover.Hub {
	return handover.Hub{
		Config: i.cfg.Hub, Client: i.client, Namespace: i.cfg.Namespace, ApplicationNamespaces: i.cfg.ApplicationNamespaces,
		Parser: hub.Parser(i.settings.Data, i.cfg.NoPrograms), Now: time.Now, Log: i.cfg.Log,
	}
}
