package app

import (
	"context"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/controller/secretfleet"
	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/generator"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/aws"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/azure"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/fake"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/gcp"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/kubernetes"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/vault"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/webhook"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
	"github.com/causeway-gitops/causeway/internal/telemetry"
)

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
	kept := &secretfleet.Fleet{Pause: e.cfg.Pauses.Lacking, Member: secretfleet.Member{
		Providers: providers(), Makers: makers(), Lenders: lenders(e.cfg.Now), Class: esv1.EngineClass, Compute: pool, Now: e.cfg.Now, Log: e.cfg.Log,
		Metrics: secretfleet.NewMetrics(e.metrics),
	}}
	if e.cfg.InCluster {
		kept.Own = e.fleet.Hub()
	}
	if !e.cfg.PrivateHosts { // who writes a store would else ask for what the machine alone may ask
		kept.Member.Dial = egress.DialRemote
	}
	defer kept.Wait()
	said := map[string]string{}
	for {
		e.secretsOf(ctx, kept, said)
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		}
	}
}

// secretsOf has the clusters that may be written to be reconciled, and no others. Why
// another one is left alone is told when that changes; said has what was, by Secret.
func (e *Engine) secretsOf(ctx context.Context, kept *secretfleet.Fleet, said map[string]string) {
	names := map[string]bool{}
	for _, c := range e.fleet.Members() {
		d := c.Desc()
		why := e.leftAlone(c)
		if why != "" && why != said[d.Secret] {
			e.cfg.Log.InfoContext(ctx, "ExternalSecrets of a cluster are left alone", "cluster", d.Name, "reason", why)
		}
		said[d.Secret] = why
		if why != "" {
			continue
		}
		name := gitops.ServerKey(d.Server)
		names[name] = true
		kept.Set(ctx, name, telemetry.Label(d.Name), c, c.RESTConfig())
	}
	kept.Only(names)
}

// leftAlone is why the ExternalSecrets of a cluster are not reconciled; empty when they
// are. What applications may not change, their Secrets do not change either.
func (e *Engine) leftAlone(c *fleet.Cluster) string {
	d := c.Desc()
	if paused := gitops.PausedBy(d); paused != "" {
		return paused
	}
	if len(d.Namespaces) > 0 {
		return "its Secret limits the engine to namespaces, and ClusterSecretStores and definitions are of the whole cluster"
	}
	counts, err := e.fleet.Resolve(v1alpha1.ApplicationDestination{Server: d.Server})
	if err != nil {
		return err.Error()
	}
	if counts != c {
		return "another Secret describes its server, and counts"
	}
	return ""
}

func makers() map[string]generator.Maker {
	return map[string]generator.Maker{
		"Password": generator.Password, "UUID": generator.UUID, "Fake": generator.Fake,
		"GithubAccessToken": generator.GitHub, "Webhook": webhook.Generate,
		"ECRAuthorizationToken": aws.OfEngine().RegistryToken, "STSSessionToken": aws.OfEngine().SessionToken,
		"GCRAccessToken": gcp.OfEngine().RegistryToken, "ACRAccessToken": azure.OfEngine().RegistryToken,
	}
}

func lenders(now func() time.Time) map[string]generator.Lender {
	return map[string]generator.Lender{"VaultDynamicSecret": vault.NewDynamic(now)}
}

func providers() map[string]store.Factory {
	return map[string]store.Factory{
		aws.Name: aws.OfEngine().Open, azure.Name: azure.OfEngine().Open, gcp.Name: gcp.OfEngine().Open,
		fake.Name: fake.Open, kubernetes.Name: kubernetes.Open, vault.Name: vault.Open, webhook.Name: webhook.Open,
	}
}
