package depend

import "strings"

// Node is an Application or an ApplicationSet of the hub.
type Node struct{ Kind, Namespace, Name string }

// maxNodes bounds the search in a graph that has grown out of hand.
const maxNodes = 10_000

// Circle returns the way from a node back to itself, the node at both ends;
// nothing when there is none. next gives what a node depends on, in an order
// that is always the same.
func Circle(from Node, next func(Node) []Node) []Node {
	s := search{goal: from, next: next, seen: map[Node]bool{}}
	if s.leads(from) {
		return append(s.path, from)
	}
	return nil
}

type search struct {
	goal Node
	next func(Node) []Node
	seen map[Node]bool
	path []Node
}

func (s *search) leads(n Node) bool {
	if s.seen[n] || len(s.seen) == maxNodes {
		return false
	}
	s.seen[n] = true
	s.path = append(s.path, n)
	for _, m := range s.next(n) {
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
