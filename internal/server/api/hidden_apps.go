package api

import "github.com/causeway-gitops/causeway/internal/server/view"

// unseen are the Applications that somebody may not read. They are in no
// count: what is counted is what they may read, and that there are others.
type unseen struct {
	apps map[view.Key]bool
	// bySet is how many of them a set has made.
	bySet map[view.Key]int
}

func unseenOf(rows []*view.Row, visible func(*view.Row) bool) *unseen {
	out := &unseen{map[view.Key]bool{}, map[view.Key]int{}}
	for _, r := range rows {
		if visible(r) {
			continue
		}
		out.apps[r.Key()] = true
		if r.Set != "" {
			out.bySet[view.Key{Namespace: r.Namespace, Name: r.Set}]++
		}
	}
	return out
}

// has reports whether an Application of a name is one of them.
func (u *unseen) has(namespace, name string) bool {
	return u.apps[view.Key{Namespace: namespace, Name: name}]
}

// besides counts of some Applications of a namespace those that are none of
// them, and reports whether there are others.
func (u *unseen) besides(namespace string, names []string) (count int, others bool) {
	for _, name := range names {
		if u.has(namespace, name) {
			others = true
			continue
		}
		count++
	}
	return count, others
}
