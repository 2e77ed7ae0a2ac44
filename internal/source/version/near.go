package version

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
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
		all = append(all, scored{n, gitops.Distance(strings.ToLower(want), strings.ToLower(n))})
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
