package api

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Fleet is clusters by what runs on them.
type Fleet struct {
	Clusters []FleetCluster `json:"clusters"`
	Columns  []FleetColumn  `json:"columns"`
}

// FleetCluster is a row: one cluster with its cells by the id of a column.
type FleetCluster struct {
	clusters.Health

	Cells map[string]FleetCell `json:"cells"`
}

// FleetColumn is what runs on several clusters: the Applications of one
// ApplicationSet, or one that is by itself.
type FleetColumn struct {
	ID string `json:"id"`
	// Common is the version that most of its cells have.
	Common string `json:"common,omitempty" doc:"The version that most cells of the column have."`
	Count  int    `json:"count"`
}

// FleetCell is one Application on a cluster.
type FleetCell struct {
	view.Key

	Version string `json:"version,omitempty"`
	Sync    string `json:"sync"`
	Health  string `json:"health"`
	Odd     bool   `json:"odd,omitempty" doc:"Its version is another than most of the column have."`
	More    int    `json:"more,omitempty" doc:"Further Applications of the column on this cluster; the worst is shown."`
}

func (s *server) fleet(a huma.API) {
	handle(a, operation("list-clusters", http.MethodGet, "/fleet/clusters", "fleet", "The clusters and how they fare"), s.clusters)
	handle(a, operation("get-fleet", http.MethodGet, "/fleet", "fleet", "Clusters × what runs on them"), s.matrix)
}

func (s *server) clusters(ctx context.Context, _ *struct{}) (*ready[[]clusters.Health], error) {
	if err := s.reach.Known(ctx); err != nil {
		return nil, httpError(err)
	}
	own, key := s.ownClusters(ctx, s.steady.Of(s.Clusters()))
	text, err := s.texts.of(madeOf("clusters", key), func() (*text, int64, error) { return encoded(own) })
	if err != nil {
		return nil, httpError(err)
	}
	return readyOf[[]clusters.Health](text), nil
}

// ownClusters are those of a moment that somebody may read, by name, and the key
// of which ones they are.
func (s *server) ownClusters(ctx context.Context, m clusters.Moment) (own []clusters.Health, key string) {
	own = reach.Only(ctx, s.reach, m.All, reach.ReadCluster)
	names := make([]string, 0, 4*len(own))
	for i := range own {
		names = append(names, own[i].Name, own[i].Secret, own[i].Server, own[i].Project)
	}
	return own, madeOf(m.Number, names)
}

// mayClusters lists the clusters that somebody may read.
func (s *server) mayClusters(ctx context.Context) []clusters.Health {
	out := reach.Only(ctx, s.reach, s.Clusters(), reach.ReadCluster)
	slices.SortFunc(out, func(a, b clusters.Health) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (s *server) matrix(ctx context.Context, _ *struct{}) (*ready[Fleet], error) {
	visible, err := s.reach.Visible(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	text, err := s.fleets.of(ctx, s.moment, func(ctx context.Context, at moment) outlook[*text] {
		own, key := s.ownClusters(ctx, at.clusters)
		seen := at.rows.Seen(visible)
		key = madeOf("fleet", eyesOf(seen), key)
		out := outlook[*text]{alike: key, key: madeOf(key, at.rows.Version)}
		out.write = func() (*text, error) {
			return s.texts.of(out.key, func() (*text, int64, error) { return textFrom(matrixOf(own, seen)) })
		}
		return out
	})
	if err != nil {
		return nil, httpError(err)
	}
	return readyOf[Fleet](text), nil
}

// column is the set that made an Application, or else its name without that
// of its cluster, which people write before or behind it.
func column(r *view.Row) string {
	if r.Set != "" {
		return r.Set
	}
	name := strings.TrimSuffix(strings.TrimPrefix(r.Name, r.Cluster+"-"), "-"+r.Cluster)
	return cmp.Or(name, r.Name)
}
