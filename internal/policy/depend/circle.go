package depend

import "strings"

// Node is an Application or an ApplicationSet of the hub.
type Node struct{ Kind, Namespace, Name string }

// Bounds of the search in a graph that has grown out of hand: of its nodes, and
// of the work that it is to find what leads on from them. A step is some ten
// nanoseconds.
const (
	maxNodes = 10_000
	maxSteps = 500_000
)

// Circle returns the way from a node back to itself, the node at both ends;
// nothing when there is none, or the search has taken too much. next gives what a
// node depends on, in an order that is always the same, and how many steps it was
// to find that.
func Circle(from Node, next func(Node) (to []Node, steps int)) []Node {
	s := search{goal: from, next: next, seen: map[Node]bool{}}
	if s.leads(from) {
		return append(s.path, from)
	}
	return nil
}

type search struct {
	goal Node
	next func(Node) ([]Node, int)
	seen map[Node]bool
	path []Node
	// steps are those taken so far.
	steps int
}

func (s *search) leads(n Node) bool {
	if s.seen[n] || len(s.seen) == maxNodes || s.steps >= maxSteps {
		return false
	}
	s.seen[n] = true
	s.path = append(s.path, n)
	to, steps := s.next(n)
	s.steps += steps + len(to)
	for _, m := range to {
		if m == s.goal || s.leads(m) {
			return true
		}
	}
	s.path = s.path[:len(s.path)-1]
	return false
}

// Draw shows a way: "a → b → a". Kinds are told where not all are Applications.
func Draw(way []Node) string {
	kinds := map[string]bool{}
	for _, n := range way {
		kinds[n.Kind] = true
	}
	names := make([]string, len(way))
	for i, n := range way {
		if names[i] = n.Name; len(kinds) > 1 {
			names[i] = n.Kind + "/" + n.Name
		}
	}
	return strings.Join(names, " → ")
}
