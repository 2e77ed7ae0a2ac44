package environment

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Side is an Application of a product in one environment, as it is compared
// with one in another.
type Side struct {
	view.Key

	Destination string
	// Sync is the one whose manifests are compared.
	Sync string
	// words are what its names have and those of the other side have not.
	words []string
}

// SideOf is an Application in an environment.
func SideOf(r *view.Row, environment string) Side {
	words := append([]string{r.Name, r.Cluster}, spellings(environment)...)
	return Side{Key: r.Key(), Destination: r.Destination, words: slices.DeleteFunc(words, func(w string) bool { return w == "" })}
}

// Place is a name of an object in a namespace, without what only this side has
// in it: the same object of the other side has the same.
func (s *Side) Place(namespace, name string) string {
	if namespace == s.Destination {
		namespace = ""
	}
	return s.plain(namespace) + "/" + s.plain(name)
}

// plain takes the words out of a name; its own name alone is nothing.
func (s *Side) plain(name string) string {
	for _, w := range s.words {
		if name == w {
			return "·"
		}
		if rest, ok := strings.CutPrefix(name, w+"-"); ok {
			name = "·-" + rest
			continue
		}
		name = cut(name, w)
	}
	return name
}
