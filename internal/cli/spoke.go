package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// spoke is a cluster that applications are deployed to.
type spoke struct {
	gitops.Cluster

	// config is the connection; nil when problem says why there is none.
	config  *rest.Config
	problem error
	isHub   bool
}

// spokes reads the clusters of the fleet from their Secrets; a hub without a
// Secret is among them.
func (h *hub) spokes(ctx context.Context) ([]spoke, error) {
	all, err := h.spokesOf(ctx, nil)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(all, func(s spoke) bool { return s.isHub }) {
		all = append(all, spoke{Cluster: gitops.Cluster{Name: gitops.HubName, Server: gitops.HubServer}, config: h.config, isHub: true})
	}
	return all, nil
}

// spokesOf reads the clusters whose Secrets match.
func (h *hub) spokesOf(ctx context.Context, selector labels.Selector) ([]spoke, error) {
	secrets, err := h.secrets(ctx, selector, v1alpha1.SecretTypeCluster)
	if err != nil {
		return nil, err
	}
	var all []spoke
	parser := h.parser(ctx)
	for i := range secrets {
		d, config, err := parser.Parse(&secrets[i])
		isHub := err == nil && config == nil
		if isHub {
			config = h.config
		}
		if config != nil {
			config = rest.CopyConfig(config)
			config.QPS = -1
		}
		all = append(all, spoke{Cluster: d, config: config, problem: err, isHub: isHub})
	}
	return all, nil
}

// parser reads cluster Secrets by the settings of the installation; where
// they cannot be read, they allow nothing.
func (h *hub) parser(ctx context.Context) fleet.Parser {
	settings := &corev1.ConfigMap{}
	_ = h.client.Get(ctx, client.ObjectKey{Namespace: h.namespace, Name: v1alpha1.SettingsName}, settings)
	return fleet.Parser{Allow: func() []string { return fleet.Allowed(settings.Data) }}
}

// ranked are clusters in the order in which they count, and what several
// Secrets describe.
func ranked(all []spoke) ([]spoke, []gitops.Clash) {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b spoke) int { return gitops.Rank(a.Cluster, b.Cluster) })
	described, broken := make([]gitops.Cluster, len(sorted)), map[string]bool{}
	for i := range sorted {
		described[i], broken[sorted[i].Secret] = sorted[i].Cluster, sorted[i].problem != nil
	}
	return sorted, gitops.Clashes(described, func(c gitops.Cluster) bool { return !broken[c.Secret] })
}

// destination finds the cluster of an Application, as the engine does.
func (h *hub) destination(ctx context.Context, d v1alpha1.ApplicationDestination) (spoke, error) {
	all, err := h.spokes(ctx)
	if err != nil {
		return spoke{}, h.explain(err)
	}
	sorted, clashes := ranked(all)
	if d.Name != "" {
		return spokeNamed(sorted, clashes, d.Name)
	}
	at := slices.DeleteFunc(sorted, func(s spoke) bool { return gitops.ServerKey(s.Server) != d.TrimmedServer() })
	if len(at) == 0 {
		return spoke{}, fmt.Errorf("no cluster Secret has the server %s", d.Server)
	}
	i := max(0, slices.IndexFunc(at, func(s spoke) bool { return s.problem == nil }))
	return at[i], at[i].problem
}

func spokeNamed(sorted []spoke, clashes []gitops.Clash, name string) (spoke, error) {
	for _, c := range clashes {
		if c.Field == "name" && c.Value == name {
			return spoke{}, errors.New(c.String())
		}
	}
	var known []string
	for _, s := range sorted {
		if s.Name == name || s.Server == gitops.HubServer && name == gitops.HubName {
			return s, s.problem
		}
		known = append(known, s.Name)
	}
	return spoke{}, fmt.Errorf("no cluster Secret has the name %q%s", name, gitops.DidYouMean(name, known))
}
