package view

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/labels"
)

// Bounds of a query.
const (
	// MaxLimit is how many rows a page has at most.
	MaxLimit = 1000
	maxText  = 256
)

// Query selects, orders and cuts rows. Values of one filter are alternatives;
// all filters have to hold.
type Query struct {
	// Text has words that all have to occur somewhere in a row.
	Text      string
	Sync      []string
	Health    []string
	Operation []string
	Project   []string
	Cluster   []string
	Namespace []string
	Set       []string
	// Labels is a selector as kubectl takes it.
	Labels   string
	Revision string // begins a revision of a source
	Image    string // part of an image
	// Sort is a column, with a minus before it for the other direction.
	Sort   string
	Offset int
	Limit  int
}

// Page is the answer to a query.
type Page struct {
	Total  int               `json:"total" doc:"Applications that match, on all pages."`
	Items  []*Row            `json:"items"`
	Facets map[string]Counts `json:"facets" doc:"Of each filter the values that there are, with how many Applications would match."`
	// Version of the index that was read.
	Version uint64 `json:"-"`
}

// Counts has values with how often they occur.
type Counts map[string]int

// facetCount is how many there are.
const facetCount = 7

// facets are the filters whose values are counted.
var facets = [facetCount]struct {
	name   string
	wanted func(*Query) []string
	value  func(*Row) string
}{
	{"sync", func(q *Query) []string { return q.Sync }, func(r *Row) string { return r.Sync }},
	{"health", func(q *Query) []string { return q.Health }, func(r *Row) string { return r.Health }},
	{"operation", func(q *Query) []string { return q.Operation }, func(r *Row) string { return r.Operation }},
	{"project", func(q *Query) []string { return q.Project }, func(r *Row) string { return r.Project }},
	{"cluster", func(q *Query) []string { return q.Cluster }, func(r *Row) string { return r.Cluster }},
	{"namespace", func(q *Query) []string { return q.Namespace }, func(r *Row) string { return r.Namespace }},
	{"applicationSet", func(q *Query) []string { return q.Set }, func(r *Row) string { return r.Set }},
}

// orders are the columns that sort, worst first where that is what people look for.
var orders = map[string]func(a, b *Row) int{
	"name":    func(a, b *Row) int { return a.Key().compare(b.Key()) },
	"project": func(a, b *Row) int { return strings.Compare(a.Project, b.Project) },
	"cluster": func(a, b *Row) int { return strings.Compare(a.Cluster, b.Cluster) },
	"sync":    func(a, b *Row) int { return cmp.Compare(rank(syncRanks, a.Sync), rank(syncRanks, b.Sync)) },
	"health":  func(a, b *Row) int { return cmp.Compare(rank(healthRanks, a.Health), rank(healthRanks, b.Health)) },
	"created": func(a, b *Row) int { return b.Created.Compare(a.Created) },
	"synced":  func(a, b *Row) int { return b.Synced.Compare(a.Synced) },
	"changed": func(a, b *Row) int { return b.Changed.Compare(a.Changed) },
}

var (
	syncRanks = []string{"OutOfSync", "Unknown", "Synced"}
	// operationPhases are those that a sync is in, or ended in.
	operationPhases = []string{"Running", "Terminating", "Succeeded", "Failed", "Error"}

	healthRanks = []string{"Degraded", "Missing", "Unknown", "Progressing", "Suspended", "Healthy"}
)

func rank(ranks []string, value string) int { return slices.Index(ranks, value) }

// Columns that a query can be sorted by.
func Columns() []string {
	out := make([]string, 0, len(orders))
	for name := range orders {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Select answers a query over the rows that may be seen.
func (s *State) Select(q Query, visible func(*Row) bool) (*Page, error) {
	m, err := q.compile()
	if err != nil {
		return nil, err
	}
	m.choose(s)
	matched := make([]*Row, 0, len(s.Rows))
	for _, r := range s.Rows {
		if visible(r) && m.matches(r) && m.count(r) {
			matched = append(matched, r)
		}
	}
	out := &Page{Items: []*Row{}, Facets: m.counted(s), Version: s.Version, Total: len(matched)}
	m.sort(matched)
	from := min(max(q.Offset, 0), len(matched))
	to := min(from+m.limit, len(matched))
	out.Items = append(out.Items, matched[from:to]...)
	return out, nil
}

// matcher is a query that was read.
type matcher struct {
	q        Query
	words    []string
	selector labels.Selector
	order    func(a, b *Row) int
	limit    int
	// chosen are the values that a filter wants, by their numbers; nil where it
	// wants all. counts are of values by their numbers.
	chosen [facetCount][]bool
	counts [facetCount][]int
}

// choose looks up what the filters want.
func (m *matcher) choose(s *State) {
	for f := range facets {
		m.counts[f] = make([]int, len(s.values[f]))
		wanted := facets[f].wanted(&m.q)
		if len(wanted) == 0 {
			continue
		}
		m.chosen[f] = make([]bool, len(s.values[f]))
		for n, value := range s.values[f] {
			m.chosen[f][n] = slices.Contains(wanted, value)
		}
	}
}

// counted are the counts by their values.
func (m *matcher) counted(s *State) map[string]Counts {
	out := map[string]Counts{}
	for f := range facets {
		counts := Counts{}
		for n, count := range m.counts[f] {
			if value := s.values[f][n]; count > 0 && value != "" {
				counts[value] = count
			}
		}
		out[facets[f].name] = counts
	}
	return out
}

func (q Query) compile() (*matcher, error) {
	if n := utf8.RuneCountInString(q.Text); n > maxText {
		return nil, fmt.Errorf("cannot search for %d characters: more than %d", n, maxText)
	}
	m := &matcher{q: q, words: strings.Fields(strings.ToLower(q.Text)), selector: labels.Everything(), limit: q.Limit}
	if q.Labels != "" {
		selector, err := labels.Parse(q.Labels)
		if err != nil {
			return nil, fmt.Errorf("cannot read the label selector: %w", err)
		}
		m.selector = selector
	}
	if err := errors.Join(unknown("sync", q.Sync, syncRanks), unknown("health", q.Health, healthRanks), unknown("operation", q.Operation, operationPhases)); err != nil {
		return nil, err
	}
	if m.limit <= 0 || m.limit > MaxLimit {
		m.limit = MaxLimit
	}
	column, descending := strings.CutPrefix(q.Sort, "-")
	if q.Sort == "" {
		return m, nil // rows are in the order of names
	}
	order, known := orders[column]
	if !known {
		return nil, fmt.Errorf("cannot sort by %q; choose one of %s", column, strings.Join(Columns(), ", "))
	}
	if m.order = order; descending {
		m.order = func(a, b *Row) int { return order(b, a) }
	}
	return m, nil
}

// unknown tells of a value that nothing can have: who misspells one would take
// an empty list for good news.
func unknown(filter string, asked, known []string) error {
	for _, value := range asked {
		if !slices.Contains(known, value) {
			return fmt.Errorf("cannot filter by the %s %q; choose of %s", filter, value, strings.Join(known, ", "))
		}
	}
	return nil
}

// matches reports whether the filters hold whose values are not counted.
func (m *matcher) matches(r *Row) bool {
	for _, w := range m.words {
		if !strings.Contains(r.text, w) {
			return false
		}
	}
	if m.q.Revision != "" && !slices.ContainsFunc(r.Sources, func(s Source) bool { return strings.HasPrefix(s.Revision, m.q.Revision) || s.Target == m.q.Revision }) {
		return false
	}
	if m.q.Image != "" && !slices.ContainsFunc(r.Images, func(i string) bool { return strings.Contains(i, m.q.Image) }) {
		return false
	}
	return m.selector.Empty() || m.selector.Matches(labels.Set(r.Labels))
}

// count adds a row to the counts: to those of all facets when all their
// filters hold, and to those of one when it alone does not, because another
// value chosen there would show the row. It reports whether all hold.
func (m *matcher) count(r *Row) bool {
	failed := -1
	for f := range m.chosen {
		if m.chosen[f] == nil || m.chosen[f][r.values[f]] {
			continue
		}
		if failed >= 0 {
			return false
		}
		failed = f
	}
	if failed >= 0 {
		m.counts[failed][r.values[failed]]++
		return false
	}
	for f := range m.counts {
		m.counts[f][r.values[f]]++
	}
	return true
}

func (m *matcher) sort(rows []*Row) {
	if m.order == nil {
		return
	}
	slices.SortStableFunc(rows, m.order)
}

// Worse reports whether one health needs a look before another.
func Worse(a, b string) bool { return rank(healthRanks, a) < rank(healthRanks, b) }
