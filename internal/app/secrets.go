package app

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/controller/secretfleet"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/generator"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/fake"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/kubernetes"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/vault"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/webhook"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// secretsClass is the controller that stores name for this engine.
const secretsClass = "causeway"

// secrets reconciles ExternalSecrets in the hub and in all clusters, where that is
// switched on.
func (e *Engine) secrets(ctx context.Context) error {
	if !e.cfg.Secrets {
		return nil
	}
	changed := make(chan struct{}, 1)
	e.described.add(func(string) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	select {
	case <-ctx.Done():
		return nil
	case <-e.manager.Elected():
	}
	pool := compute.NewPool()
	defer pool.Close()
	fleet := &secretfleet.Fleet{Pause: e.cfg.Pauses.Lacking, Member: secretfleet.Member{
		Providers: providers(), Makers: makers(), Class: secretsClass, Compute: pool, Now: e.cfg.Now, Log: e.cfg.Log,
	}}
	defer fleet.Wait()
	for {
		e.secretsOf(ctx, fleet)
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		}
	}
}

// secretsOf has the clusters that there are be reconciled, and no others.
func (e *Engine) secretsOf(ctx context.Context, fleet *secretfleet.Fleet) {
	names := map[string]bool{}
	for _, c := range e.fleet.Members() {
		if c.Broken() != nil {
			continue
		}
		name := c.Desc().Server
		names[name] = true
		fleet.Set(ctx, name, c, c.RESTConfig())
	}
	fleet.Only(names)
}

func makers() map[string]generator.Maker {
	return map[string]generator.Maker{"Password": generator.Password, "UUID": generator.UUID, "Fake": generator.Fake}
}

func providers() map[string]store.Factory {
	return map[string]store.Factory{fake.Name: fake.Open, kubernetes.Name: kubernetes.Open, vault.Name: vault.Open, webhook.Name: webhook.Open}
}
