package fleet

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// mostDefinitions bounds those that are remembered of a cluster, longestDefinition the
// name of each, in bytes.
const (
	mostDefinitions   = 20_000
	longestDefinition = 512
)

// definitions takes the events of CustomResourceDefinitions, of which only
// the names matter.
type definitions struct {
	turns *definitionTurns
	// known reports whether a definition is in the catalog.
	known func(name string) bool
	// there are those that were told last; listed those of a list that has not ended.
	there, listed map[string]bool
	synced        bool
}

func (d *definitions) begin() { d.listed = map[string]bool{} }

func (d *definitions) page(o metav1.Object) {
	if name := o.GetName(); len(name) <= longestDefinition && len(d.listed) < mostDefinitions {
		d.listed[name] = true
	}
}

// end compares the first list with what discovery told, and a later one, which follows
// an interruption, with what was told until then: who waits for a definition to go that
// went in between would not be told by any event.
func (d *definitions) end(string) {
	for name := range d.listed {
		if !d.synced && !d.known(name) || d.synced && !d.there[name] {
			d.turns.tell(name, true)
		}
	}
	for name := range d.there {
		if !d.listed[name] {
			d.turns.tell(name, false)
		}
	}
	if d.synced {
		d.turns.tell("", true) // others may have other versions
	}
	d.there, d.listed, d.synced = d.listed, nil, true
}

func (d *definitions) event(t watch.EventType, o metav1.Object) {
	name := o.GetName()
	if len(name) > longestDefinition {
		return
	}
	served := t != watch.Deleted
	switch {
	case !served:
		delete(d.there, name)
	case len(d.there) < mostDefinitions:
		d.there[name] = true
	}
	d.turns.tell(name, served)
}

func (d *definitions) gone() {}

// definitionTurns are the definitions that came or went, until they are taken. The last that is
// told of a name counts.
type definitionTurns struct {
	ring chan struct{}

	mu     sync.Mutex
	served map[string]bool
}

func newDefinitionTurns() *definitionTurns {
	return &definitionTurns{ring: make(chan struct{}, 1), served: map[string]bool{}}
}

// tell notes that a definition came, or went; without a name any may have.
func (t *definitionTurns) tell(name string, served bool) {
	t.mu.Lock()
	if _, again := t.served[name]; again || len(t.served) < mostDefinitions {
		t.served[name] = served
	}
	t.mu.Unlock()
	select {
	case t.ring <- struct{}{}:
	default:
	}
}

// take moves them to others.
func (t *definitionTurns) take(into map[string]bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, served := range t.served {
		into[name] = served
	}
	clear(t.served)
}
