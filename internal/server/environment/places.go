package environment

import (
	"cmp"
	"maps"
	"strings"
	"sync"

	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Places remember of which product and environment rows are: that is read out
// of names, which takes most of the time of a matrix, and of ten thousand rows
// few are others than a moment ago. The zero value is ready; it is safe for
// concurrent use.
type Places struct {
	mu   sync.Mutex
	last *placed
}

// placed are the places of some rows. It does not change.
type placed struct {
	of       []*view.Row
	labels   map[string]map[string]string
	rows     []spot
	products []identity
	columns  []string
	// numbers of products and columns are shared by those that follow.
	productAt map[identity]int32
	columnAt  map[string]int32
}

// spot is a row's product and column, by their numbers.
type spot struct{ product, column int32 }

// of are the places of rows, which are in the order of an index.
func (p *Places) of(rows []*view.Row, labels map[string]map[string]string) *placed {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.last
	if old != nil && same(old.of, rows) && maps.EqualFunc(old.labels, labels, maps.Equal[map[string]string]) {
		return old
	}
	next := &placed{of: rows, labels: labels, rows: make([]spot, len(rows)), productAt: map[identity]int32{}, columnAt: map[string]int32{}}
	// What is no longer there is forgotten when it is more than what is.
	if old != nil && max(len(old.products), len(old.columns)) <= 2*len(rows)+64 && maps.EqualFunc(old.labels, labels, maps.Equal[map[string]string]) {
		next.products, next.columns, next.productAt, next.columnAt = old.products, old.columns, old.productAt, old.columnAt
	} else {
		old = &placed{}
	}
	for i, j := 0, 0; i < len(rows); i++ {
		for j < len(old.of) && before(old.of[j], rows[i]) {
			j++
		}
		if j < len(old.of) && old.of[j] == rows[i] {
			next.rows[i] = old.rows[j]
			continue
		}
		next.rows[i] = next.spot(rows[i])
	}
	p.last = next
	return next
}

// same reports whether two lists are one: those of an index are not changed.
func same(a, b []*view.Row) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// before is the order of an index.
func before(a, b *view.Row) bool {
	return a != b && cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Namespace, b.Namespace)) < 0
}

// spot reads where a row is.
func (p *placed) spot(r *view.Row) spot {
	env := Of(r, p.labels[r.On()])
	id, column := productOf(r, env), cmp.Or(env, None)
	product, is := p.productAt[id]
	if !is {
		product = int32(len(p.products)) //nolint:gosec // at most some of each row
		p.productAt[id] = product
		p.products = append(p.products, id)
	}
	at, is := p.columnAt[column]
	if !is {
		at = int32(len(p.columns)) //nolint:gosec // at most one of each row
		p.columnAt[column] = at
		p.columns = append(p.columns, column)
	}
	return spot{product, at}
}
