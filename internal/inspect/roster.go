package inspect

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
)

// Roster describes the clusters of a hub: metadata and API versions.
// Clusters that do not answer are described by their Secrets alone; the
// errors say which.
func Roster(ctx context.Context, cfg Config) (roster.Roster, []error, error) {
	i, err := Open(ctx, cfg)
	if err != nil {
		return roster.Roster{}, nil, err
	}
	defer i.Close()
	var list corev1.SecretList
	err = i.client.List(ctx, &list, client.InNamespace(i.cfg.Namespace), client.MatchingLabels{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster})
	if err != nil {
		return roster.Roster{}, nil, fmt.Errorf("cannot list cluster Secrets in namespace %s: %w", i.cfg.Namespace, err)
	}
	secrets := make([]*corev1.Secret, 0, len(list.Items))
	for n := range list.Items {
		secrets = append(secrets, &list.Items[n])
	}
	out, err := roster.FromSecrets(secrets, gitops.Facts{})
	if err != nil {
		return out, nil, err
	}
	if out.Hub, err = i.fleet.Hub().Facts(ctx); err != nil {
		return out, nil, fmt.Errorf("cannot read the API versions of the hub: %w", err)
	}
	return out, i.allFacts(ctx, out.Clusters), nil
}

// exportWorkers is how many clusters are asked at a time: those that do not
// answer must not hold up the others.
const exportWorkers = 16

// allFacts asks each cluster for its facts, and returns why some have none.
func (i *Inspector) allFacts(ctx context.Context, clusters []roster.Cluster) []error {
	errs := make([]error, len(clusters))
	var g crew.Group
	g.SetLimit(exportWorkers)
	for n := range clusters {
		g.Go(func() error {
			errs[n] = crew.Safely(func() error { return i.factsOf(ctx, &clusters[n]) })
			return nil
		})
	}
	_ = g.Wait() // each has its own error
	return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

func (i *Inspector) factsOf(ctx context.Context, c *roster.Cluster) error {
	member, err := i.fleet.Resolve(v1alpha1.ApplicationDestination{Server: c.Server})
	if err != nil {
		return fmt.Errorf("cluster %s: %w", c.Name, err)
	}
	if c.Facts, err = member.Facts(ctx); err != nil {
		return fmt.Errorf("cluster %s: %w", c.Name, err)
	}
	return nil
}
