package show

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// maxMatrix bounds the rows and columns of the picture.
const maxMatrix = 150

// matrix is applications by clusters: what changes where, at a glance.
type matrix struct {
	Clusters []string
	Rows     []matrixRow
	// More counts rows that are left out.
	More int
}

type matrixRow struct {
	Name  string
	Cells []matrixCell
}

// matrixCell is empty where nothing changes.
type matrixCell struct {
	Change forecast.Change
	// Group is the index of the group, Name the application's full name.
	Group   int
	Name    string
	Cluster string
	Risk    bool
}

func newMatrix(f *forecast.Forecast) matrix {
	cells, clusters := map[string]map[string]matrixCell{}, map[string]bool{}
	for i, g := range f.Groups {
		for _, a := range g.Applications {
			row := rowName(a)
			if cells[row] == nil {
				cells[row] = map[string]matrixCell{}
			}
			clusters[a.Cluster] = true
			if old, taken := cells[row][a.Cluster]; taken && old.Risk {
				continue
			}
			cells[row][a.Cluster] = matrixCell{Change: g.Change, Group: i, Name: a.Name, Cluster: a.Cluster, Risk: len(g.Risks) > 0}
		}
	}
	for _, c := range f.Clusters {
		if len(clusters) < maxMatrix {
			clusters[c] = true
		}
	}
	out := matrix{Clusters: slices.Sorted(maps.Keys(clusters))}
	out.Clusters = out.Clusters[:min(len(out.Clusters), maxMatrix)]
	for name, row := range cells {
		r := matrixRow{Name: name}
		for _, c := range out.Clusters {
			r.Cells = append(r.Cells, row[c])
		}
		out.Rows = append(out.Rows, r)
	}
	slices.SortFunc(out.Rows, func(a, b matrixRow) int {
		return cmp.Or(cmp.Compare(b.touched(), a.touched()), cmp.Compare(a.Name, b.Name))
	})
	if out.More = len(out.Rows) - maxMatrix; out.More > 0 {
		out.Rows = out.Rows[:maxMatrix]
	}
	return out
}

func (r matrixRow) touched() int {
	n := 0
	for _, c := range r.Cells {
		if c.Change != "" {
			n++
		}
	}
	return n
}

// rowName is an application's name without its cluster's: what the
// applications of one set have in common.
func rowName(a forecast.Application) string {
	name := a.Name
	if a.Cluster != "" && len(name) > len(a.Cluster) {
		name = strings.TrimSuffix(strings.TrimPrefix(name, a.Cluster+"-"), "-"+a.Cluster)
	}
	return name
}
