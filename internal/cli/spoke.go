package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

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

// destination finds the cluster of an Application.
func (h *hub) destination(ctx context.Context, d v1alpha1.ApplicationDestination) (spoke, error) {
	all, err := h.spokes(ctx)
	if err != nil {
		return spoke{}, h.explain(err)
	}
	var known []string
	for _, s := range all {
		byName := d.Name != "" && (s.Name == d.Name || s.Server == gitops.HubServer && d.Name == gitops.HubName)
		if byName || d.Name == "" && strings.TrimRight(s.Server, "/") == d.TrimmedServer() {
			return s, s.problem
		}
		known = append(known, s.Name)
	}
	if d.Name == "" {
		return spoke{}, fmt.Errorf("no cluster Secret has the server %s", d.Server)
	}
	return spoke{}, fmt.Errorf("no cluster Secret has the name %q%s", d.Name, gitops.DidYouMean(d.Name, known))
}
