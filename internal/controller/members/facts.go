package members

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/clustermetadata"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// FactTime bounds how long one cluster is asked for its facts.
const FactTime = 10 * time.Second

// Facts asks the clusters of a fleet what they tell of themselves. Their version
// and APIs are known from what they serve; nodes are listed only where a fact of
// theirs is asked for.
func Facts(f *fleet.Fleet) clustermetadata.Facts {
	return func(ctx context.Context, secret, server string, asked []causeway.ClusterFact) (*clustermetadata.Told, error) {
		members := f.Members()
		i := slices.IndexFunc(members, func(c *fleet.Cluster) bool {
			desc := c.Desc()
			return desc.Secret == secret && gitops.SameServer(desc.Server, server)
		})
		if i < 0 {
			return nil, gitops.Problemf(gitops.NotReady, "cluster Secret %s describes no cluster that can be used", secret)
		}
		ctx, cancel := context.WithTimeout(ctx, FactTime)
		defer cancel()
		return tellsOf(ctx, members[i], slices.ContainsFunc(asked, clustermetadata.OfNodes))
	}
}

// tellsOf is what a cluster tells, with what its nodes do or without.
func tellsOf(ctx context.Context, c *fleet.Cluster, nodes bool) (*clustermetadata.Told, error) {
	known, err := c.Facts(ctx)
	if err != nil {
		return nil, err
	}
	out := &clustermetadata.Told{Version: known.KubeVersion, APIs: known.APIVersions}
	state := c.State()
	if state.MoreFailed > 0 { // which APIs it has is not known
		return nil, gitops.Problemf(gitops.NotReady, "%d APIs of cluster %s do not answer", len(state.FailedGroups)+state.MoreFailed, c.Desc().Name)
	}
	for _, api := range state.FailedGroups {
		if _, kept := slices.BinarySearch(out.APIs, api); !kept {
			out.Silent = append(out.Silent, api)
		}
	}
	if !nodes {
		return out, nil
	}
	all, err := c.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	out.Nodes = factsOfNodes(all)
	return out, nil
}

// factsOfNodes are what the nodes of a cluster say. An annotation takes all
// that they say; a label only where they agree.
func factsOfNodes(nodes []fleet.Node) map[causeway.ClusterFact]string {
	return map[causeway.ClusterFact]string{
		causeway.FactNodeCount:    strconv.Itoa(len(nodes)),
		causeway.FactRegion:       joined(nodes, func(n fleet.Node) string { return n.Region }),
		causeway.FactZone:         joined(nodes, func(n fleet.Node) string { return n.Zone }),
		causeway.FactArchitecture: joined(nodes, func(n fleet.Node) string { return n.Architecture }),
		causeway.FactProvider:     joined(nodes, func(n fleet.Node) string { return n.Provider }),
	}
}

func joined(nodes []fleet.Node, of func(fleet.Node) string) string {
	var out []string
	for _, n := range nodes {
		if text := of(n); text != "" {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ",")
}
