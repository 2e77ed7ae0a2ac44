package environment

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/server/view"
)

// None is the column of what has no environment: no label can have this value.
const None = "-"

// What a cell shows at most.
const (
	mostApplications = 20
	mostImages       = 5
)

// Matrix is products × environments.
type Matrix struct {
	Environments []Column  `json:"environments" doc:"In the order of promotion."`
	Total        int       `json:"total" doc:"Products that match, on all pages."`
	Items        []Product `json:"items"`
}

// Column is an environment.
type Column struct {
	Name         string `json:"name" doc:"\"-\" has what no label gives an environment."`
	Applications int    `json:"applications"`
}

// Product is one logical application, wherever it runs.
type Product struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Project string `json:"project,omitempty" doc:"Without the name of the environment."`
	Differs bool   `json:"differs,omitempty" doc:"Not all its Applications have one version."`
	// Between is told where two environments were asked for.
	Between []string        `json:"between,omitempty" enum:"place,version,values,images" doc:"Where from and to were asked for, what differs between them: it runs in one alone (place), versions, the revision of a chart's values in Git, images."`
	Cells   map[string]Cell `json:"cells" doc:"By environment."`
}

// Cell is a product in an environment.
type Cell struct {
	Applications []Application `json:"applications" doc:"What needs a look first; at most 20."`
	Count        int           `json:"count"`
	Version      string        `json:"version,omitempty" doc:"What most of its Applications run: a chart's version, or a revision."`
	Target       string        `json:"target,omitempty" doc:"Revision that is asked for."`
	RepoURL      string        `json:"repoURL,omitempty"`
	Chart        string        `json:"chart,omitempty"`
	Values       string        `json:"values,omitempty" doc:"Of a chart whose values are in Git: their revision."`
	ValuesURL    string        `json:"valuesURL,omitempty"`
	Versions     int           `json:"versions" doc:"How many versions there are."`
	Images       []string      `json:"images,omitempty"`
	Health       string        `json:"health" doc:"The worst."`
	Sync         string        `json:"sync" doc:"The worst."`
	Behind       string        `json:"behind,omitempty" doc:"The environment before it that runs another version."`
	Author       string        `json:"author,omitempty" doc:"Of the commit that runs, or of the values of a chart."`
	Subject      string        `json:"subject,omitempty"`
	Committed    time.Time     `json:"committed,omitzero"`
	By           string        `json:"by,omitempty" doc:"Who asked for the last sync, with (unverified) where nothing proves that any more; empty when it began by itself."`
	Synced       time.Time     `json:"synced,omitzero" doc:"End of the last successful sync."`

	// Of is the Application whose version it is. Who made the commit is told where
	// that one has taken it up, and its project permits it: Barred is what does not.
	Of     view.Key `json:"-"`
	Barred bool     `json:"-"`
}

// Application is one of a cell.
type Application struct {
	view.Key

	Cluster string `json:"cluster"`
	Version string `json:"version,omitempty"`
	Health  string `json:"health"`
	Sync    string `json:"sync"`
}

// Query selects products.
type Query struct {
	Text    string
	Project string
	// Product is the id of the only one that is wanted.
	Product string
	// Differs leaves out products with one version everywhere.
	Differs bool
	// From and To leave out products in which these two environments do not
	// differ; both empty for none.
	From, To      string
	Offset, Limit int
}

// Fleet is what a matrix is made of.
type Fleet struct {
	Rows    []*view.Row
	Visible func(*view.Row) bool
	// Labels are those of clusters, by their names.
	Labels map[string]map[string]string
	Order  Order
	// Places remember where rows are, from one fleet to the next; nil for none.
	Places *Places
}

// group is a product with its rows by environment.
type group struct {
	identity

	cells map[string][]*view.Row
}

// Matrix makes the page of the products that match.
func (f *Fleet) Matrix(q Query) *Matrix {
	groups, counts := f.groups()
	out := &Matrix{Environments: make([]Column, 0, len(counts)), Items: []Product{}}
	for name, count := range counts {
		out.Environments = append(out.Environments, Column{name, count})
	}
	slices.SortFunc(out.Environments, func(a, b Column) int { return f.Order.compare(named(a.Name), named(b.Name)) })
	words := strings.Fields(strings.ToLower(q.Text))
	found := make([]*group, 0, len(groups))
	for _, g := range groups {
		if g.matches(words, q) {
			found = append(found, g)
		}
	}
	slices.SortFunc(found, func(a, b *group) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.project, b.project), strings.Compare(a.namespace, b.namespace))
	})
	out.Total = len(found)
	from := min(max(q.Offset, 0), len(found))
	for _, g := range found[from:min(from+q.Limit, len(found))] {
		item := g.product(out.Environments)
		if q.From != "" {
			g.compare(&item, q.From, q.To)
		}
		out.Items = append(out.Items, item)
	}
	return out
}

func named(column string) string {
	if column == None {
		return ""
	}
	return column
}

// groups sorts the rows that may be seen into products.
func (f *Fleet) groups() ([]*group, map[string]int) {
	places := f.Places
	if places == nil {
		places = &Places{}
	}
	known := places.of(f.Rows, f.Labels)
	all, counts := make([]*group, len(known.products)), make([]int, len(known.columns))
	out := make([]*group, 0, len(all))
	for i, r := range f.Rows {
		if !f.Visible(r) {
			continue
		}
		at := known.rows[i]
		g := all[at.product]
		if g == nil {
			g = &group{identity: known.products[at.product], cells: map[string][]*view.Row{}}
			all[at.product] = g
			out = append(out, g)
		}
		column := known.columns[at.column]
		g.cells[column] = append(g.cells[column], r)
		counts[at.column]++
	}
	columns := make(map[string]int, len(counts))
	for n, count := range counts {
		if count > 0 {
			columns[known.columns[n]] = count
		}
	}
	return out, columns
}

// Applications are those of a product in an environment, what needs a look first.
func (f *Fleet) Applications(id, environment string) []*view.Row {
	groups, _ := f.groups()
	for _, g := range groups {
		if g.id() == id {
			rows := g.cells[environment]
			slices.SortStableFunc(rows, first)
			return rows
		}
	}
	return nil
}

func (g *group) matches(words []string, q Query) bool {
	for _, w := range words {
		if !strings.Contains(strings.ToLower(g.name), w) && !strings.Contains(strings.ToLower(g.project), w) {
			return false
		}
	}
	return (q.Product == "" || q.Product == g.id()) && (q.Project == "" || g.has(q.Project)) && (!q.Differs || g.differs()) &&
		(q.From == "" || len(g.between(q.From, q.To)) > 0)
}

// has reports whether one of its Applications is in a project.
func (g *group) has(project string) bool {
	for _, rows := range g.cells {
		if slices.ContainsFunc(rows, func(r *view.Row) bool { return r.Project == project }) {
			return true
		}
	}
	return false
}

func (g *group) differs() bool {
	version, begun := "", false
	for _, rows := range g.cells {
		for _, r := range rows {
			if v := Version(r); begun && v != version {
				return true
			}
			version, begun = Version(r), true
		}
	}
	return false
}

func (g *group) product(columns []Column) Product {
	out := Product{ID: g.id(), Name: g.name, Project: g.project, Differs: g.differs(), Cells: make(map[string]Cell, len(g.cells))}
	before, version := "", ""
	for _, c := range columns {
		rows := g.cells[c.Name]
		if len(rows) == 0 {
			continue
		}
		cell := cellOf(rows)
		if before != "" && c.Name != None && (cell.Version != version || cell.Versions > 1) {
			cell.Behind = before
		}
		out.Cells[c.Name] = cell
		before, version = c.Name, cell.Version
	}
	return out
}

// first puts what needs a look before what does not.
func first(a, b *view.Row) int {
	switch {
	case view.Worse(a.Health, b.Health):
		return -1
	case view.Worse(b.Health, a.Health):
		return 1
	}
	return cmp.Or(b.Synced.Compare(a.Synced), strings.Compare(a.Name, b.Name))
}

// Latest is the Application that stands for those of a cell: of those that run
// what most do, the one that was synced last.
func Latest(rows []*view.Row) *view.Row {
	version, _ := common(rows)
	var last *view.Row
	for _, r := range rows {
		if Version(r) != version {
			continue
		}
		if last == nil || cmp.Or(r.Synced.Compare(last.Synced), strings.Compare(last.Name, r.Name)) > 0 {
			last = r
		}
	}
	return last
}

func cellOf(rows []*view.Row) Cell {
	slices.SortStableFunc(rows, first)
	version, versions := common(rows)
	out := Cell{Applications: []Application{}, Count: len(rows), Version: version, Versions: versions, Health: rows[0].Health, Sync: "Synced"}
	last := Latest(rows)
	for i, r := range rows {
		if r.Sync != "Synced" && out.Sync != "OutOfSync" {
			out.Sync = r.Sync
		}
		if i < mostApplications {
			out.Applications = append(out.Applications, Application{r.Key(), r.Cluster, Version(r), r.Health, r.Sync})
		}
	}
	s := leading(last)
	out.Target, out.RepoURL, out.Chart = s.Target, s.RepoURL, s.Chart
	out.Values, out.ValuesURL = valuesOf(last)
	out.By, out.Synced, out.Of, out.Barred = last.By, last.Synced, last.Key(), last.Barred
	out.Images = last.Images[:min(len(last.Images), mostImages)]
	return out
}

// common is the version that most have, and how many there are. Of two that
// as many have, it is the one that was synced last.
func common(rows []*view.Row) (string, int) {
	counts, synced := map[string]int{}, map[string]time.Time{}
	for _, r := range rows {
		v := Version(r)
		counts[v]++
		if r.Synced.After(synced[v]) {
			synced[v] = r.Synced
		}
	}
	best, found := "", false
	for v, n := range counts {
		order := cmp.Or(cmp.Compare(n, counts[best]), synced[v].Compare(synced[best]), strings.Compare(v, best))
		if !found || order > 0 {
			best, found = v, true
		}
	}
	return best, len(counts)
}

// Version is what an Application runs: what was synced last, else what it was
// compared with.
func Version(r *view.Row) string {
	if i := lead(r); i >= 0 {
		return revision(r, i)
	}
	return ""
}

// valuesOf is what an Application has in Git beside its chart.
func valuesOf(r *view.Row) (at, url string) {
	i := slices.IndexFunc(r.Sources, func(s view.Source) bool { return s.Chart == "" })
	if i < 0 || leading(r).Chart == "" {
		return "", ""
	}
	return revision(r, i), r.Sources[i].RepoURL
}

// revision is that of one source.
func revision(r *view.Row, i int) string {
	if i < len(r.Deployed) && r.Deployed[i] != "" {
		return r.Deployed[i]
	}
	return cmp.Or(r.Sources[i].Revision, r.Sources[i].Target)
}

// lead is the source by which people tell versions apart: the chart, else the
// first; -1 when there is none.
func lead(r *view.Row) int {
	if at := slices.IndexFunc(r.Sources, func(s view.Source) bool { return s.Chart != "" }); at >= 0 {
		return at
	}
	return min(len(r.Sources), 1) - 1
}

func leading(r *view.Row) view.Source {
	if i := lead(r); i >= 0 {
		return r.Sources[i]
	}
	return view.Source{}
}
