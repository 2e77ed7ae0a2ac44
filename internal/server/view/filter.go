package view

import "slices"

// Filter is a query as a test of one row, for lists that no Index has. Order
// and limit are not part of it.
func (q Query) Filter() (func(*Row) bool, error) {
	m, err := q.compile()
	if err != nil {
		return nil, err
	}
	return func(r *Row) bool {
		for f := range facets {
			if wanted := facets[f].wanted(&q); len(wanted) > 0 && !slices.Contains(wanted, facets[f].value(r)) {
				return false
			}
		}
		return m.matches(r)
	}, nil
}
