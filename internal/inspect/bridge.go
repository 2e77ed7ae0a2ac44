package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/lookup"
)

// Bridge is the bridge as the hub has it now: each cluster with who set what,
// and each ApplicationSet with what it gives.
func (i *Inspector) Bridge(ctx context.Context) (bridge.Fleet, error) {
	return i.bridgeOf(ctx, every, looks, whole)
}

// Outline is the bridge with no more of Applications than their names.
func (i *Inspector) Outline(ctx context.Context) (bridge.Fleet, error) {
	return i.bridgeOf(ctx, every, bridges, (*bridge.Set).Outline)
}

// trialHeld is what the Applications of all sets may take in a trial, as they are
// and as they would be, in bytes: somebody who looks waits for it, and so does a part
// of the engine's memory.
const trialHeld = 96 << 20

// Supposable is the bridge with all that a trial compares: the Applications of sets
// that read clusters, as long as they are not too large together. Of the others the
// hub has them.
func (i *Inspector) Supposable(ctx context.Context) (bridge.Fleet, error) {
	held := int64(0)
	out, err := i.bridgeOf(ctx, every, trials, func(s *bridge.Set) {
		if s.Expansion != nil && s.Expansion.Reads.Clusters {
			held += s.Expansion.Held
		}
		if s.Expansion == nil || !s.Expansion.Reads.Clusters || held > trialHeld {
			s.Outline()
		}
	})
	out.Holds = trialHeld
	return out, err
}

func every(*v1alpha1.ApplicationSet) bool { return true }

func whole(*bridge.Set) {}

// bridgeOf is the bridge with some of the sets: to expand all takes long. Of each
// is kept what keep leaves of it. Its expansions take the turns of an account.
func (i *Inspector) bridgeOf(ctx context.Context, wanted func(*v1alpha1.ApplicationSet) bool, account string, keep func(*bridge.Set)) (bridge.Fleet, error) {
	out := bridge.Fleet{Stages: liveStages{i, account}, Hides: i.settings.Comparing().Hidden()}
	var secrets corev1.SecretList
	err := i.client.List(ctx, &secrets, client.InNamespace(i.cfg.Namespace), client.MatchingLabels{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster})
	if err != nil {
		return out, fmt.Errorf("cannot list cluster Secrets: %w", err)
	}
	sources := i.metadata(ctx)
	for j := range secrets.Items {
		s := &secrets.Items[j]
		set := bridge.Setters(s.ManagedFields)
		bridge.Sources(set, sources)
		out.Clusters = append(out.Clusters, bridge.Cluster{Cluster: clustersecret.Describe(s), Set: set})
	}
	slices.SortFunc(out.Clusters, func(a, b bridge.Cluster) int { return strings.Compare(a.Name, b.Name) })
	var sets v1alpha1.ApplicationSetList
	if err := i.client.List(ctx, &sets, client.InNamespace(i.cfg.Namespace)); err != nil {
		return out, fmt.Errorf("cannot list ApplicationSets: %w", err)
	}
	descriptions := make([]gitops.Cluster, 0, len(out.Clusters))
	for j := range out.Clusters {
		descriptions = append(descriptions, out.Clusters[j].Cluster)
	}
	for j := range sets.Items {
		if !wanted(&sets.Items[j]) {
			continue
		}
		set := bridge.Set{ApplicationSet: &sets.Items[j]}
		set.Expansion, set.Err = out.Stages.Expand(ctx, set.ApplicationSet, descriptions)
		all := set.Expansion
		keep(&set)
		all.Release()
		if err := ctx.Err(); err != nil {
			return out, err
		}
		out.Sets = append(out.Sets, set)
	}
	return out, nil
}

// metadata are the ClusterMetadata of the hub. Without them keys have their field
// managers: whoever looks may not be let read these, and all else is there.
func (i *Inspector) metadata(ctx context.Context) []causeway.ClusterMetadata {
	var list causeway.ClusterMetadataList
	if err := i.direct.List(ctx, &list, client.InNamespace(i.cfg.Namespace)); err != nil {
		i.cfg.Log.DebugContext(ctx, "it is not known where ClusterMetadata have values from", "error", err)
	}
	return list.Items
}

// Schemas are the MetadataSchemas of the hub; none where it does not know the
// kind.
func (i *Inspector) Schemas(ctx context.Context) ([]bridge.Schema, error) {
	var list causeway.MetadataSchemaList
	err := i.direct.List(ctx, &list, client.InNamespace(i.cfg.Namespace))
	if unserved := lookup.Unserved(causeway.MetadataSchemaGVK, i.cfg.Namespace, err); unserved != nil {
		return nil, nil //nolint:nilerr // what cannot be read says nothing of types
	}
	var out []bridge.Schema
	for j := range list.Items {
		s, err := bridge.NewSchema(&list.Items[j])
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

type liveStages struct {
	inspector *Inspector
	// account is whose turns expansions take.
	account string
}

func (l liveStages) Expand(ctx context.Context, set *v1alpha1.ApplicationSet, clusters []gitops.Cluster) (*generate.Expansion, error) {
	return l.inspector.generator(listedClusters(clusters), generate.WithRoom(l.inspector.room), generate.WithAccount(l.account)).Applications(ctx, set)
}

// generator expands sets for clusters, with what the hub knows.
func (i *Inspector) generator(clusters generate.Clusters, more ...generate.Option) *generate.Generator {
	options := append(append(i.lookups(), generate.WithHosts(i.hosts)), more...)
	if i.verify != nil {
		options = append(options, generate.WithSignatures(hub.Signed{Projects: i.rules(), Verify: i.verify}))
	}
	// Sets read as they do in the engine, see Engine.newGenerator.
	return generate.New(clusters, i.sources, i.stored(), options...)
}

// lookups are what every generator of the hub may ask, and how it reads files.
func (i *Inspector) lookups() []generate.Option {
	out := []generate.Option{
		generate.WithSettings(lookup.Settings{Reader: i.direct}),
		generate.WithResources(lookup.Objects{Reader: i.direct, Kinds: i.client.RESTMapper()}),
		generate.WithRules(i.destinations()),
	}
	if i.doublestar {
		out = append(out, generate.WithDoublestarFiles())
	}
	return out
}

func (l liveStages) Render(ctx context.Context, app *v1alpha1.Application) (*gitops.Rendering, error) {
	return l.inspector.Render(ctx, app)
}

// listedClusters is a fleet that is known as a list.
type listedClusters []gitops.Cluster

func (l listedClusters) Clusters(context.Context) ([]gitops.Cluster, error) { return l, nil }
