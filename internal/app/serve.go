package app

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/serve"
)

// serve serves pages and the API until ctx ends.
func (e *Engine) serve(ctx context.Context) error {
	i := e.inspector()
	return serve.Run(ctx, &serve.Options{
		At: e.cfg.Serving, Version: e.cfg.Version, Log: e.cfg.Log,
		Hub: e.cfg.Hub, Client: e.manager.GetClient(), Cache: e.manager.GetCache(), Namespace: e.cfg.Namespace,
		Covers: e.cfg.covers, AnyNamespace: len(e.cfg.ApplicationNamespaces) > 0,
		Settings: e.settings.Data, Hidden: e.hidden, Decrypts: e.cfg.Rendering.Keys.Len() > 0,
		Fleet: e.fleet, Parked: e.shared.Parked, Described: e.described.add, Repositories: e.access.Repositories,
		Describe: e.describe,
		Admit:    i.Admitted,
		Leads:    i.Leads,
		Reads:    i.Reads,
		Stages:   i, Live: i, Sources: e.permitted(), Seal: e.chronicle.Seal, Checks: e.checks, Bridge: i, Facts: i.Facts, Guard: e.setGuard(),
		Explain: i.Explain(), Around: i.Around(), Expand: i.Expand, Act: i.Acts, Account: i.Account, RightsFor: e.cfg.Pauses.Rights,
		History: e.chronicle.Store, NoHistory: e.cfg.History.Off, Webhooks: e.hooks,
		Compare: func(ctx context.Context, a, b string) ([]forecast.Object, error) {
			d, err := chronicle.Compare(ctx, e.chronicle.Store, a, b, e.hidden())
			if err != nil {
				return nil, err
			}
			return d.Objects, nil
		},
	})
}

// inspector looks with the engine's own stages and caches.
func (e *Engine) inspector() *inspect.Inspector {
	cfg := inspect.Config{Hub: e.cfg.Hub, Namespace: e.cfg.Namespace, ApplicationNamespaces: e.cfg.ApplicationNamespaces, NoPrograms: e.cfg.NoPrograms, Log: e.cfg.Log}
	return inspect.With(cfg, inspect.Stages{
		Client: e.manager.GetClient(), Direct: e.manager.GetAPIReader(), Sources: e.sources, Creds: e.creds, Render: e.render, Settings: &e.settings,
		Fleet: e.fleet, Clusters: e.clusters, Apply: e.apply, Checks: e.checks, Verify: e.sources.Verify, Room: e.room, Hosts: e.hosts,
		DoublestarFiles: e.cfg.doublestarFiles,
	})
}
