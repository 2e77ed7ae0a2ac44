package hub

import (
	"context"
	"fmt"
	"log/slog"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
)

// ReadSecrets reads all Secrets that describe clusters and repositories, once.
// An engine does so before its controllers start: an application that is
// looked at first must not be told that its cluster does not exist.
func ReadSecrets(ctx context.Context, c client.Reader, log *slog.Logger, namespace string, f *fleet.Fleet, p fleet.Parser, creds *Credentials) error {
	which, err := Describing()
	if err != nil {
		return err
	}
	var list corev1.SecretList
	if err := c.List(ctx, &list, client.InNamespace(namespace), client.MatchingLabelsSelector{Selector: which}); err != nil {
		return fmt.Errorf("cannot list the Secrets of clusters and repositories: %w", err)
	}
	for i := range list.Items {
		s := &list.Items[i]
		if !clustersecret.IsCluster(s) {
			err = creds.Put(client.ObjectKeyFromObject(s), s)
		} else {
			err = describe(ctx, f, p, s)
		}
		if err != nil {
			log.WarnContext(ctx, "Secret not used", "secret", s.Name, "error", err)
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

// Parser reads cluster Secrets by the settings of an installation; with
// noPrograms none runs a program for its credential, whatever these say.
func Parser(settings func() map[string]string, noPrograms bool) fleet.Parser {
	return fleet.Parser{Allow: func() []string { return fleet.Allowed(settings()) }, NoPrograms: noPrograms}
}
