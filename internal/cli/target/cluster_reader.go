package target

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

// Spoke is a cluster that applications are deployed to.
type Spoke struct {
	gitops.Cluster

	// Config is the connection; nil when problem says why there is none.
	Config  *rest.Config
	Problem error
	isHub   bool
}

// Spokes reads the clusters of the fleet from their Secrets; a hub without a
// Secret is among them.
func (h *Hub) Spokes(ctx context.Context) ([]Spoke, error) {
	all, err := h.SpokesOf(ctx, nil)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(all, func(s Spoke) bool { return s.isHub }) {
		all = append(all, Spoke{Cluster: gitops.Cluster{Name: gitops.HubName, Server: gitops.HubServer}, Config: h.Config, isHub: true})
	}
	return all, nil
}

// SpokesOf reads the clusters whose Secrets match.
func (h *Hub) SpokesOf(ctx context.Context, selector labels.Selector) ([]Spoke, error) {
	secrets, err := h.Secrets(ctx, selector, v1alpha1.SecretTypeCluster)
	if err != nil {
		return nil, err
	}
	var all []Spoke
	parser := h.parser(ctx)
	for i := range secrets {
		d, config, err := parser.Parse(&secrets[i])
		isHub := err == nil && config == nil
		if isHub {
			config = h.Config
		}
		if config != nil {
			config = rest.CopyConfig(config)
			config.QPS = -1
		}
		all = append(all, Spoke{Cluster: d, Config: config, Problem: err, isHub: isHub})
	}
	return all, nil
}

// parser reads cluster Secrets by the settings of the installation; where
// they cannot be read, they allow nothing.
func (h *Hub) parser(ctx context.Context) fleet.Parser {
	settings := &corev1.ConfigMap{}
	_ = h.Client.Get(ctx, client.ObjectKey{Namespace: h.Namespace, Name: v1alpha1.SettingsName}, settings)
	return fleet.Parser{Allow: func() []string { return fleet.Allowed(settings.Data) }, NoPrograms: h.NoPrograms()}
}

// Ranked are clusters by name, and what several Secrets describe.
func Ranked(all []Spoke) ([]Spoke, []gitops.Clash) {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b Spoke) int { return gitops.Rank(a.Cluster, b.Cluster) })
	return sorted, gitops.Clashes(describedBy(sorted))
}

func describedBy(spokes []Spoke) []gitops.Cluster {
	out := make([]gitops.Cluster, len(spokes))
	for i := range spokes {
		out[i] = spokes[i].Cluster
	}
	return out
}

// Destination finds the cluster of an Application, as the engine does.
func (h *Hub) Destination(ctx context.Context, d v1alpha1.ApplicationDestination) (Spoke, error) {
	all, err := h.Spokes(ctx)
	if err != nil {
		return Spoke{}, h.Explain(err)
	}
	sorted, _ := Ranked(all)
	if d.Name != "" {
		return spokeNamed(sorted, d.Name)
	}
	key := gitops.ServerKey(d.Server)
	at := slices.DeleteFunc(sorted, func(s Spoke) bool { return gitops.ServerKey(s.Server) != key })
	if len(at) == 0 {
		return Spoke{}, fmt.Errorf("no cluster Secret has the server %s", d.Server)
	}
	return deciding("server", d.Server, at)
}

// deciding is the only one that counts of those that share a name or a server.
func deciding(field, value string, found []Spoke) (Spoke, error) {
	found = gitops.Deciding(found, func(s Spoke) gitops.Cluster { return s.Cluster })
	if len(found) > 1 {
		return Spoke{}, gitops.AmbiguousAmong(field, value, describedBy(found))
	}
	return found[0], found[0].Problem
}

func spokeNamed(sorted []Spoke, name string) (Spoke, error) {
	var found []Spoke
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
			return s, s.Problem
		}
	}
	return Spoke{}, fmt.Errorf("no cluster Secret has the name %q%s", name, gitops.DidYouMean(name, known))
}

// Secrets lists the Secrets that describe something of the fleet.
func (h *Hub) Secrets(ctx context.Context, selector labels.Selector, kinds ...string) ([]corev1.Secret, error) {
	var all []corev1.Secret
	for _, kind := range kinds {
		list := &corev1.SecretList{}
		err := h.Client.List(ctx, list, client.InNamespace(h.Namespace), client.MatchingLabels{v1alpha1.LabelSecretType: kind})
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			if selector == nil || selector.Matches(labels.Set(list.Items[i].Labels)) {
				all = append(all, list.Items[i])
			}
		}
	}
	return all, nil
}
