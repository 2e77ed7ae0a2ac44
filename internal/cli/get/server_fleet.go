package get

import (
	"cmp"
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
)

// servedRepositories are the repositories that a server tells of, by their
// address. It tells no labels of their Secrets.
func servedRepositories(ctx context.Context, h *target.Hub, selector labels.Selector) (map[string]*RepositoryView, error) {
	if selector != nil && !selector.Empty() {
		return nil, target.ErrServed("which labels the Secrets of repositories have (--selector)")
	}
	all, err := h.Server.Repositories(ctx)
	if err != nil {
		return nil, err
	}
	views := map[string]*RepositoryView{}
	for _, templates := range []bool{false, true} { // where both have an address, the template is shown
		for i := range all {
			if r := &all[i]; r.Template == templates {
				url := gitops.PublicAddress(r.URL)
				views[url] = &RepositoryView{
					written: url, URL: url, Type: cmp.Or(r.Type, "git"), Name: r.Name, Project: r.Project, Secret: r.ID,
					Credentials: len(r.Credentials) > 0 || r.Username != "",
				}
			}
		}
	}
	return views, nil
}

// servedNames has the clusters' names by their address.
func servedNames(ctx context.Context, h *target.Hub) (map[string]string, error) {
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

// servedClusters lists clusters as the engine sees them: the server lets nobody
// ask them by itself.
func servedClusters(ctx context.Context, h *target.Hub, q Query) ([]item, error) {
	list, err := h.Server.Clusters(ctx)
	if err != nil {
		return nil, err
	}
	counts, err := Counts(ctx, h)
	if err != nil {
		return nil, err
	}
	var items []item
	for i := range list {
		c := &list[i]
		if q.Of(c.Project) && (q.Selector == nil || q.Selector.Matches(labels.Set(c.Labels))) {
			items = append(items, servedCluster(c, counts.Count(c.Name)))
		}
	}
	return items, nil
}

func servedCluster(c *clusters.Health, t fleetstatus.Tally) item {
	s := target.Spoke{}
	s.Name, s.Server, s.Secret, s.Project, s.Labels = c.Name, c.Server, c.Secret, c.Project, c.Labels
	a := answered{state: "unreachable", version: c.Version}
	switch {
	case c.Reachable:
		a.state = "reachable"
	case c.Since == nil:
		a.state = "invalid"
	}
	a.latency = time.Duration(c.Latency) * time.Millisecond
	return clusterItem(s, t, a, c, nil)
}
