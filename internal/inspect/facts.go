package inspect

import (
	"context"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/controller/members"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// shownFacts are all that a ClusterMetadata can make a key of, in the order in which
// they are shown.
var shownFacts = []struct {
	name causeway.ClusterFact
	kind bridge.Type
}{
	{causeway.FactKubernetesVersion, bridge.TypeString},
	{causeway.FactNodeCount, bridge.TypeInteger},
	{causeway.FactRegion, bridge.TypeString},
	{causeway.FactZone, bridge.TypeString},
	{causeway.FactArchitecture, bridge.TypeString},
	{causeway.FactProvider, bridge.TypeString},
	{causeway.FactAPIVersions, bridge.TypeString},
}

// Facts are what the cluster of a Secret tells of itself, whether or not a
// ClusterMetadata makes keys of it. The error is why some of it, or all, is not known.
func (i *Inspector) Facts(ctx context.Context, secret, server string) ([]bridge.Fact, error) {
	ctx, cancel := context.WithTimeout(ctx, members.FactTime)
	defer cancel()
	ask := members.Facts(i.fleet)
	told, err := ask(ctx, secret, server, nil)
	if err != nil {
		return nil, err
	}
	// A login that may not list nodes still tells the rest.
	more, untold := ask(ctx, secret, server, []causeway.ClusterFact{causeway.FactNodeCount})
	if untold == nil {
		told = more
	}
	var out []bridge.Fact
	for _, f := range shownFacts {
		value, err := told.Fact(f.name)
		if err == nil && len(value) > bridge.MaxValue {
			err = gitops.Problemf(gitops.Invalid, "the cluster's %s has %d bytes, more than %d", f.name, len(value), bridge.MaxValue)
		}
		switch {
		case err == nil:
			out = append(out, bridge.Fact{Name: string(f.name), Value: value, Type: f.kind, Source: bridge.OfCluster})
		case gitops.IsProblem(err, gitops.NotFound): // it has none, or nodes are not known
		case untold == nil:
			untold = err
		}
	}
	return out, untold
}
