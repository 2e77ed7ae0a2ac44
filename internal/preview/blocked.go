package preview

import (
	"slices"

	"github.com/causeway-gitops/causeway/internal/generate"
)

// blocked tells whether what an ID was made by cannot be told in this state:
// then that the ID is not there says nothing.
func (s *State) blocked(a *App, other *State) bool {
	id := a.Parent
	for range maxDepth {
		if set := s.Sets[id]; set != nil {
			return set.Err != nil || rejects(set, a.Name)
		}
		if app := s.Apps[id]; app != nil {
			return app.Err != nil
		}
		switch {
		case other.Sets[id] != nil:
			id = other.Sets[id].Parent
		case other.Apps[id] != nil:
			a = other.Apps[id]
			id = a.Parent
		default:
			return false
		}
	}
	return false
}

// rejects tells whether a set refuses a name; what lives by it stays as it is.
func rejects(set *Set, name string) bool {
	return set.Expansion != nil && slices.ContainsFunc(set.Expansion.Rejected, func(r generate.Rejected) bool { return r.Name == name })
}
