package route

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// remotes remember what applications read besides their own sources:
// bases of kustomizations and dependencies of charts from elsewhere. They are
// safe for concurrent use; the zero value is empty.
type remotes struct {
	mu   sync.Mutex
	refs map[types.NamespacedName][]gitops.SourceRef
}

// Rendered notes what a render of an application has read besides its sources.
func (r *Router) Rendered(app types.NamespacedName, refs []gitops.SourceRef) {
	r.remotes.put(app, refs)
}

func (x *remotes) put(app types.NamespacedName, refs []gitops.SourceRef) {
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
func (x *remotes) drop(app types.NamespacedName) { x.put(app, nil) }

// concerned are the applications that a change of a repository may concern.
func (x *remotes) concerned(change gitops.RepoChange) []types.NamespacedName {
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
