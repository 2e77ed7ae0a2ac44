package api

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/environment"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// matrix is a Fleet that is being made. Cells are by numbers of clusters and
// columns: there are thousands, and maps of maps take ten times as long.
type matrix struct {
	known    []clusters.Health
	clusters map[string]int
	cells    [][]matrixCell // by cluster, in the order of names
	at       map[[2]int]int // a cluster's and a column's cell
	columns  []matrixColumn
	ids      map[string]int
}

type matrixColumn struct {
	FleetColumn

	versions map[string]int
}

type matrixCell struct {
	column  int
	row     *view.Row
	version string
	more    int
}

// matrixOf is a Fleet as JSON.
func matrixOf(known []clusters.Health, rows view.Seen) ([]byte, error) {
	m := &matrix{known: known, clusters: make(map[string]int, len(known)), cells: make([][]matrixCell, len(known)), at: make(map[[2]int]int, len(rows)), ids: map[string]int{}}
	for i := range known {
		m.clusters[known[i].Name] = i
	}
	for _, r := range rows {
		if cluster, is := m.clusters[r.On()]; is {
			m.add(cluster, r)
		}
	}
	for i := range m.columns {
		m.columns[i].count()
	}
	return m.text()
}

func (m *matrix) add(cluster int, r *view.Row) {
	id := column(r)
	n, is := m.ids[id]
	if !is {
		n = len(m.columns)
		m.ids[id] = n
		m.columns = append(m.columns, matrixColumn{FleetColumn{ID: id}, map[string]int{}})
	}
	version := environment.Version(r)
	m.columns[n].versions[version]++
	key := [2]int{cluster, n}
	at, is := m.at[key]
	if !is {
		m.at[key] = len(m.cells[cluster])
		m.cells[cluster] = append(m.cells[cluster], matrixCell{n, r, version, 0})
		return
	}
	c := &m.cells[cluster][at]
	c.more++
	if view.Worse(r.Health, c.row.Health) { // the one that needs a look is shown
		c.row, c.version = r, version
	}
}

// count finds what most cells of a column have.
func (c *matrixColumn) count() {
	best := 0
	for v, n := range c.versions {
		c.Count += n
		if n > best || (n == best && v > c.Common) {
			best, c.Common = n, v
		}
	}
}

func (m *matrix) text() ([]byte, error) {
	const cell = 256 // about what one takes
	out := make([]byte, 0, len(m.known)*1024+len(m.at)*cell)
	out = append(out, `{"clusters":[`...)
	for i := range m.known {
		if i > 0 {
			out = append(out, ',')
		}
		health, err := json.Marshal(&m.known[i]) //nolint:gosec // names of Secrets alone
		if err != nil {
			return nil, err
		}
		out = append(append(out, health[:len(health)-1]...), `,"cells":{`...)
		for j := range m.cells[i] {
			if j > 0 {
				out = append(out, ',')
			}
			out = m.cell(out, &m.cells[i][j])
		}
		out = append(out, '}', '}')
	}
	columns := make([]FleetColumn, 0, len(m.columns))
	for i := range m.columns {
		columns = append(columns, m.columns[i].FleetColumn)
	}
	slices.SortFunc(columns, func(a, b FleetColumn) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.ID, b.ID)) })
	last, err := json.Marshal(columns)
	out = append(append(out, `],"columns":`...), last...)
	return append(out, '}', '\n'), err
}

// cell writes a FleetCell behind the id of its column.
func (m *matrix) cell(out []byte, c *matrixCell) []byte {
	column := &m.columns[c.column]
	out = append(textOfJSON(out, column.ID), ':', '{')
	out = fieldOfJSON(out, "namespace", c.row.Namespace)
	out = fieldOfJSON(out, "name", c.row.Name)
	if c.version != "" {
		out = fieldOfJSON(out, "version", c.version)
	}
	out = fieldOfJSON(out, "sync", c.row.Sync)
	out = fieldOfJSON(out, "health", c.row.Health)
	if column.Count > 1 && c.version != column.Common {
		out = append(out, `"odd":true,`...)
	}
	if c.more > 0 {
		out = append(strconv.AppendInt(append(out, `"more":`...), int64(c.more), 10), ',')
	}
	out[len(out)-1] = '}'
	return out
}
