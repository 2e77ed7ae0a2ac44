package preview

import (
	"slices"

	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// blocked reports whether what an ID was made by cannot be told in this state:
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
		if s.unreadable(fileOf(id, a, other)) {
			return true
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

// rejects reports whether a set refuses a name; what lives by it stays as it is.
func rejects(set *Set, name string) bool {
	return set.Expansion != nil && slices.ContainsFunc(set.Expansion.Rejected, func(r generate.Rejected) bool { return r.Name == name })
}

// fileOf is where the maker of an application is declared, or the application
// itself where nothing makes it.
func fileOf(id ID, a *App, s *State) string {
	switch {
	case id == (ID{}):
		return a.Place.File
	case s.Sets[id] != nil:
		return s.Sets[id].Place.File
	case s.Apps[id] != nil:
		return s.Apps[id].Place.File
	}
	return ""
}

// unreadable reports whether a file of the repository declares something that
// cannot be read.
func (s *State) unreadable(file string) bool {
	return file != "" && slices.ContainsFunc(s.Side.Found.Warnings, func(w gitops.Warning) bool { return unreadable[w.Reason] && w.Origin.File == file })
}
