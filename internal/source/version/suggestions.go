package version

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// shown is how many names a message lists; a person reads no more.
const shown = 5

// compared is how many names are looked at for those that are like another one.
const compared = 10_000

// Near lists the names that are most like the wanted one, best first, ready
// for a message; it is empty when there are none. Of very many names it looks at
// the first ones.
func Near(want string, names []string) string {
	type scored struct {
		name string
		cost int
	}
	looked := names[:min(compared, len(names))]
	all := make([]scored, 0, len(looked))
	for _, n := range looked {
		all = append(all, scored{n, gitops.Distance(strings.ToLower(want), strings.ToLower(n))})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return a.cost - b.cost })
	best := make([]string, len(all))
	for i, s := range all {
		best[i] = s.name
	}
	return First(best)
}

// First are the first of some names, ready for a message.
func First(names []string) string {
	list := strings.Join(names[:min(shown, len(names))], ", ")
	if len(names) > shown {
		list += ", …"
	}
	return list
}
