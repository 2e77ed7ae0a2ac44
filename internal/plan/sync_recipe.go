package plan

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// recipe is all that a Set was made of but its manifests. It is small, and of
// the same manifests it makes the same Set, whatever the application, the
// installation and the cluster have come to say since.
type recipe struct {
	want   Want
	scopes map[groupKind]scoped
}

// scoped is what a cluster said of a kind.
type scoped struct{ namespaced, known bool }

// noted is a Want whose cluster is asked once about each kind, and the recipe
// that has its answers.
func noted(w Want) (Want, *recipe) {
	r := &recipe{want: w, scopes: map[groupKind]scoped{}}
	r.want.App, r.want.Manifests, r.want.Scope = outlined(w.App), nil, r.scope
	ask := w.Scope
	w.Scope = func(group, kind string) (namespaced, known bool) {
		of := groupKind{group, kind}
		said, ok := r.scopes[of]
		if !ok {
			said.namespaced, said.known = ask(group, kind)
			r.scopes[of] = said
		}
		return said.namespaced, said.known
	}
	return w, r
}

// outlined is what a Set takes of an Application.
func outlined(app *v1alpha1.Application) *v1alpha1.Application {
	out := &v1alpha1.Application{}
	out.Annotations, out.Spec.Project = app.Annotations, app.Spec.Project
	out.Spec.Destination, out.Spec.SyncPolicy, out.Spec.IgnoreDifferences = app.Spec.Destination, app.Spec.SyncPolicy, app.Spec.IgnoreDifferences
	return out
}

func (r *recipe) scope(group, kind string) (namespaced, known bool) {
	said := r.scopes[groupKind{group, kind}]
	return said.namespaced, said.known
}

// of makes the Set of the manifests again.
func (r *recipe) of(manifests []gitops.Manifest) (*Set, error) {
	w := r.want
	w.Manifests = manifests
	return Desired(w)
}
