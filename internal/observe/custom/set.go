package custom

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/glob"
	"github.com/causeway-gitops/causeway/internal/observe/expression"
	"github.com/causeway-gitops/causeway/internal/observe/sandbox"
	"github.com/causeway-gitops/causeway/internal/observe/shipped"
)

// Health is how an installation assesses a kind: by a script or by expressions.
type Health struct {
	Script      *sandbox.Program
	Expressions *expression.Rules
}

// Digest is equal for equal ways.
func (h *Health) Digest() string {
	if h.Script != nil {
		return h.Script.Digest()
	}
	return h.Expressions.Digest()
}

// Actions are an installation's own actions of a kind.
type Actions struct {
	Discovery *sandbox.Program
	// Scripts are by the action's name.
	Scripts map[string]*sandbox.Program
	// Merge adds those that ship.
	Merge bool
}

// Set is all that an installation says. It never changes; the zero value says
// nothing.
type Set struct {
	health    map[string]*Health
	wildcards []wildcard
	actions   map[string]*Actions
	// Conditions tells to read the conditions of kinds that have no check.
	Conditions bool
	// Warnings are about what will fail at each object.
	Warnings []string
}

type wildcard struct {
	match  *glob.Pattern
	health *Health
}

// Health is the way for a kind; nil when nothing is said. An exact key comes
// before one with wildcards; of those, the first by name.
func (s *Set) Health(gk schema.GroupKind) *Health {
	key := shipped.Key(gk)
	if h := s.health[key]; h != nil {
		return h
	}
	for _, w := range s.wildcards {
		if w.match.Match(key) {
			return w.health
		}
	}
	return nil
}

// Actions are those of a kind; nil when nothing is said.
func (s *Set) Actions(gk schema.GroupKind) *Actions { return s.actions[shipped.Key(gk)] }

// index finds the keys that hold wildcards.
func (s *Set) index() error {
	var keys []string
	for key := range s.health {
		if strings.ContainsAny(key, "*?[{") {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		g, err := glob.Compile(key)
		if err != nil {
			return invalid("%q is no pattern of kinds: %w", key, err)
		}
		s.wildcards = append(s.wildcards, wildcard{g, s.health[key]})
	}
	return nil
}
