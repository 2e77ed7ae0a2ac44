package version

import (
	"slices"
	"strings"
)

// shown is how many names a message lists; a person reads no more.
const shown = 5

// Near lists the names that are most like the wanted one, best first, ready
// for a message; it is empty when there are none.
func Near(want string, names []string) string {
	type scored struct {
		name string
		cost int
	}
	all := make([]scored, 0, len(names))
	for _, n := range names {
		all = append(all, scored{n, distance(strings.ToLower(want), strings.ToLower(n))})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return a.cost - b.cost })
	var best []string
	for _, s := range all[:min(shown, len(all))] {
		best = append(best, s.name)
	}
	list := strings.Join(best, ", ")
	if len(all) > shown {
		list += ", …"
	}
	return list
}

// distance is the number of edits between two names; only the first 64
// characters count, which bounds the work.
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
