package render

import "github.com/causeway-gitops/causeway/internal/gitops"

// Remotes are what the last render of an application read besides its
// sources, also one that failed: a change of them may mend it. ok is false
// when nothing is kept of that render.
func (r *Renderer) Remotes(namespace, name string) (refs []gitops.SourceRef, ok bool) {
	e := r.kept.look(namespace + "/" + name)
	if e == nil {
		return nil, false
	}
	return e.refs(), true
}
