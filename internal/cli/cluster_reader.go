package cli

import (
	"context"
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
	return fleet.Parser{Allow: func() []string { return fleet.Allowed(settings.Data) }, NoPrograms: h.noPrograms()}
}

// ranked are clusters by name, and what several Secrets describe.
func ranked(all []spoke) ([]spoke, []gitops.Clash) {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b spoke) int { return gitops.Rank(a.Cluster, b.Cluster) })
	return sorted, gitops.Clashes(describedBy(sorted))
}

func describedBy(spokes []spoke) []gitops.Cluster {
	out := make([]gitops.Cluster, len(spokes))
	for i := range spokes {
		out[i] = spokes[i].Cluster
	}
	return out
}

// destination finds the cluster of an Application, as the engine does.
func (h *hub) destination(ctx context.Context, d v1alpha1.ApplicationDestination) (spoke, error) {
	all, err := h.spokes(ctx)
	if err != nil {
		return spoke{}, h.explain(err)
	}
	sorted, _ := ranked(all)
	if d.Name != "" {
		return spokeNamed(sorted, d.Name)
	}
	key := gitops.ServerKey(d.Server)
	at := slices.DeleteFunc(sorted, func(s spoke) bool { return gitops.ServerKey(s.Server) != key })
	if len(at) == 0 {
		return spoke{}, fmt.Errorf("no cluster Secret has the server %s", d.Server)
	}
	return deciding("server", d.Server, at)
}

// deciding is the only one that counts of those that share a name or a server.
func deciding(field, value string, found []spoke) (spoke, error) {
	found = gitops.Deciding(found, func(s spoke) gitops.Cluster { return s.Cluster })
	if len(found) > 1 {
		return spoke{}, gitops.AmbiguousAmong(field, value, describedBy(found))
	}
	return found[0], found[0].problem
}

func spokeNamed(sorted []spoke, name string) (spoke, error) {
	var found []spoke
	var known []string
	for _, s := range sorted {
		if s.Answers(name) {
			found = append(found, s)
		}
		known = append(known, s.Name)
	}
	if len(found) > 0 {
		return deciding("name", name, found)
	}
	for _, s := range sorted {
		if s.isHub && name == gitops.HubName {
			return s, s.problem
		}
	}
	return spoke{}, fmt.Errorf("no cluster Secret has the name %q%s", name, gitops.DidYouMean(name, known))
}
