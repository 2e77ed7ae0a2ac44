package app

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// remoteIndex remembers what applications read besides their own sources:
// bases of kustomizations and dependencies of charts from elsewhere. It is
// safe for concurrent use; the zero value is empty.
type remoteIndex struct {
	mu   sync.Mutex
	refs map[types.NamespacedName][]gitops.SourceRef
}

// rendered notes what an application has read now.
func (e *Engine) rendered(app types.NamespacedName) {
	if refs, ok := e.render.Remotes(app.Namespace, app.Name); ok {
		e.router.remotes.put(app, refs)
	}
}

// put takes what a render has read.
func (x *remoteIndex) put(app types.NamespacedName, refs []gitops.SourceRef) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(refs) == 0 {
		delete(x.refs, app)
		return
	}
	if x.refs == nil {
		x.refs = map[types.NamespacedName][]gitops.SourceRef{}
	}
	x.refs[app] = refs
}

// drop forgets an application that is gone.
func (x *remoteIndex) drop(app types.NamespacedName) { x.put(app, nil) }

// concerned are the applications that a change of a repository may concern.
func (x *remoteIndex) concerned(change gitops.RepoChange) []types.NamespacedName {
	x.mu.Lock()
	defer x.mu.Unlock()
	var out []types.NamespacedName
	for app, refs := range x.refs {
		for _, ref := range refs {
			if change.Concerns(address.Folded(ref.RepoURL), ref.Revision) {
				out = append(out, app)
				break
			}
		}
	}
	return out
}
