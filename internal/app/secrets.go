package app

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
)

// readSecrets reads all Secrets that describe clusters and repositories, once.
// An engine does so before its controllers start: an application that is
// looked at first must not be told that its cluster does not exist.
func readSecrets(ctx context.Context, c client.Reader, cfg Config, f *fleet.Fleet, p fleet.Parser, creds *credentials) error {
	which, err := describing()
	if err != nil {
		return err
	}
	var list corev1.SecretList
	if err := c.List(ctx, &list, client.InNamespace(cfg.Namespace), client.MatchingLabelsSelector{Selector: which}); err != nil {
		return fmt.Errorf("cannot list the Secrets of clusters and repositories: %w", err)
	}
	for i := range list.Items {
		s := &list.Items[i]
		if s.Labels[v1alpha1.LabelSecretType] != v1alpha1.SecretTypeCluster {
			err = creds.Put(client.ObjectKeyFromObject(s), s)
		} else {
			err = describe(ctx, f, p, s)
		}
		if err != nil {
			cfg.Log.WarnContext(ctx, "Secret not used", "secret", s.Name, "error", err)
		}
	}
	return nil
}

func describe(ctx context.Context, f *fleet.Fleet, p fleet.Parser, s *corev1.Secret) error {
	desc, cfg, err := p.Parse(s)
	if err != nil {
		return f.SetBroken(desc, err)
	}
	return f.Set(ctx, desc, cfg)
}

// parser reads cluster Secrets by the installation's settings.
func (e *Engine) parser() fleet.Parser {
	p := parserOf(e.cfg, e.settings.Data)
	p.Pause = e.cfg.Pauses.Credential
	return p
}

func parserOf(cfg Config, settings func() map[string]string) fleet.Parser {
	return fleet.Parser{Allow: func() []string { return fleet.Allowed(settings()) }, NoPrograms: cfg.NoPrograms}
}

// reread has all cluster Secrets looked at once more: what programs they may
// name has changed.
func (e *Engine) reread(ctx context.Context) {
	var list corev1.SecretList
	match := client.MatchingLabels{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}
	if err := e.manager.GetClient().List(ctx, &list, client.InNamespace(e.cfg.Namespace), match); err != nil {
		return // the cache has not started: each Secret is looked at then
	}
	for i := range list.Items {
		e.router.secrets.Ring(client.ObjectKeyFromObject(&list.Items[i]))
	}
}
