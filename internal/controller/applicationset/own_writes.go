package applicationset

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// echoes are the changes of Applications that the controller of sets has written
// itself. Nothing is to be found out of them: a set that is expanded for each would be
// expanded twice for whatever changes. It is safe for concurrent use; its zero value has
// none.
type echoes struct {
	mu   sync.Mutex
	apps map[types.NamespacedName]*echo
}

// echo is the last write of an Application that did not come back yet.
type echo struct {
	// writing tells that its version is not known yet, and seen are those that came meanwhile.
	writing bool
	seen    []string
	version string
}

// mostSeen bounds the versions that are kept of one write: who changes an Application
// more often than that meanwhile does not write what the set does.
const mostSeen = 16

// begin says that an Application is about to be written.
func (e *echoes) begin(app types.NamespacedName) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.apps == nil {
		e.apps = map[types.NamespacedName]*echo{}
	}
	e.apps[app] = &echo{writing: true}
}

// end says which version was written; empty for none, and for one that is not as it was
// meant to be. It reports whether another change was heard meanwhile, of which nobody
// knows yet.
func (e *echoes) end(app types.NamespacedName, version string) (missed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.apps[app]
	if now == nil { // it is gone, which is told of
		return false
	}
	now.writing, now.version = false, version
	if version == "" || slices.Contains(now.seen, version) {
		delete(e.apps, app)
	}
	return slices.ContainsFunc(now.seen, func(v string) bool { return v != version })
}

// hear reports whether a change is one that was written here, or that end tells of.
func (e *echoes) hear(app types.NamespacedName, version string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.apps[app]
	switch {
	case now == nil:
		return false
	case now.writing && len(now.seen) < mostSeen:
		now.seen = append(now.seen, version)
		return true
	case now.writing || now.version != version:
		return false
	}
	delete(e.apps, app)
	return true
}

func (e *echoes) forget(app types.NamespacedName) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.apps, app)
}

// IsEcho reports whether a change of an Application is what the controller of sets wrote
// itself: no set need be expanded for it.
func (r *Readers) IsEcho(now client.Object) bool {
	return r.echoes.hear(client.ObjectKeyFromObject(now), now.GetResourceVersion())
}

// Gone says that an Application is no longer there.
func (r *Readers) Gone(app client.Object) { r.echoes.forget(client.ObjectKeyFromObject(app)) }
