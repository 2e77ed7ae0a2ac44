package rows

import (
	"cmp"
	"context"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
)

// servedRepositories are the repositories that a server tells of, by their
// address. It tells no labels of their Secrets.
func servedRepositories(ctx context.Context, h *target.Hub, selector labels.Selector) (map[string]*Repository, error) {
	if selector != nil && !selector.Empty() {
		return nil, target.ErrServed("which labels the Secrets of repositories have (--selector)")
	}
	all, err := h.Server.Repositories(ctx)
	if err != nil {
		return nil, err
	}
	views := map[string]*Repository{}
	for _, templates := range []bool{false, true} { // where both have an address, the template is shown
		for i := range all {
			if r := &all[i]; r.Template == templates {
				url := gitops.PublicAddress(r.URL)
				views[url] = &Repository{
					written: url, URL: url, Type: cmp.Or(r.Type, "git"), Name: r.Name, Project: r.Project, Secret: r.ID,
					Credentials: len(r.Credentials) > 0 || r.Username != "",
				}
			}
		}
	}
	return views, nil
}

// servedClusters lists clusters as the engine sees them: the server lets nobody
// ask them by itself.
func servedClusters(ctx context.Context, h *target.Hub, q Query) ([]Row, error) {
	list, err := h.Server.Clusters(ctx)
	if err != nil {
		return nil, err
	}
	counts, err := target.Counts(ctx, h)
	if err != nil {
		return nil, err
	}
	var items []Row
	for i := range list {
		c := &list[i]
		if q.Of(c.Project) && (q.Selector == nil || q.Selector.Matches(labels.Set(c.Labels))) {
			items = append(items, servedCluster(c, counts.Count(c.Name)))
		}
	}
	return items, nil
}

func servedCluster(c *clusters.Health, t fleetstatus.Tally) Row {
	s := target.Spoke{}
	s.Name, s.Server, s.Secret, s.Project, s.Labels = c.Name, c.Server, c.Secret, c.Project, c.Labels
	a := Answer{State: "unreachable", Version: c.Version}
	switch {
	case c.Reachable:
		a.State = "reachable"
	case c.Since == nil:
		a.State = "invalid"
	}
	a.Latency = time.Duration(c.Latency) * time.Millisecond
	return ClusterRow(s, t, a, c, nil)
}
