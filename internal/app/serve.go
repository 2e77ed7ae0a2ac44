package app

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/plan"
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
		Settings: e.settings.Data, Hidden: func() []string { return e.settings.Comparing().Hidden() }, Decrypts: e.cfg.Rendering.Keys.Len() > 0,
		Fleet: e.fleet, Parked: e.shared.Parked, Described: e.described.add, Repositories: e.access.Repositories,
		Describe: e.describe,
		Admit:    i.admitted,
		Leads:    i.leads,
		Reads:    i.reads,
		Stages:   i, Live: i, Sources: e.permitted(), Seal: e.seal, Checks: e.checks, Bridge: i, Facts: i.Facts, Guard: e.setGuard(),
		Explain: explainer{i}, Around: surroundings{i}, Expand: i.expand, Act: i.acts, Account: i.account, RightsFor: e.cfg.Pauses.Rights,
		History: e.history, NoHistory: e.cfg.History.Off, Webhooks: e.hooks,
		Compare: func(ctx context.Context, a, b string) ([]forecast.Object, error) {
			d, err := CompareSyncs(ctx, e.history, a, b)
			if err != nil {
				return nil, err
			}
			return d.Objects, nil
		},
	})
}

// acts carries out an action for the server.
func (i *Inspector) acts(ctx context.Context, app *v1alpha1.Application, act serve.Act) ([]plan.ObjectDiff, error) {
	done, err := i.Act(ctx, app, Act(act))
	out := make([]plan.ObjectDiff, 0, len(done))
	for _, d := range done {
		out = append(out, plan.ObjectDiff{Key: d.Key, Verb: d.Verb, Diff: d.Diff})
	}
	return out, err
}

// inspector looks with the engine's own stages and caches.
func (e *Engine) inspector() *Inspector {
	return &Inspector{
		client: e.manager.GetClient(), direct: e.manager.GetAPIReader(), cfg: e.cfg, sources: e.sources, creds: e.creds, render: e.render, settings: &e.settings,
		fleet: e.fleet, clusters: e.clusters, apply: e.apply, checks: e.checks, verify: e.sources.Verify, hosts: e.shown, room: e.room,
	}
}
