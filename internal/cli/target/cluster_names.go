package target

import (
	"context"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// ClusterNames has the clusters' names by their address.
func ClusterNames(ctx context.Context, h *Hub) (map[string]string, error) {
	if h.Server != nil {
		return servedNames(ctx, h)
	}
	all, err := h.SpokesOf(ctx, nil)
	if err != nil {
		return nil, err
	}
	servers := map[string]string{gitops.HubServer: gitops.HubName}
	sorted, _ := Ranked(all)
	// What counts, and of that the first, is written last.
	slices.Reverse(sorted)
	slices.SortStableFunc(sorted, func(a, b Spoke) int { return strings.Compare(b.Source, a.Source) })
	for _, s := range sorted {
		servers[gitops.ServerKey(s.Server)] = s.Name
	}
	return servers, nil
}

// servedNames has the clusters' names by their address.
func servedNames(ctx context.Context, h *Hub) (map[string]string, error) {
	list, err := h.Server.Clusters(ctx)
	if err != nil {
		return nil, err
	}
	servers := map[string]string{gitops.HubServer: gitops.HubName}
	for i := range slices.Backward(list) { // the first counts
		servers[gitops.ServerKey(list[i].Server)] = list[i].Name
	}
	return servers, nil
}
