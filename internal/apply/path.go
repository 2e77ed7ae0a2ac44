package apply

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// paths of an object and of the collection that it lives in.
type paths struct{ object, collection string }

// pathsOf are the paths for a key, of gitops.CollectionPath. It refuses
// what would lead to another object than the key names, and an object whose
// kind has another scope than the one that the plan, and so the project, was
// asked about.
func pathsOf(m *meta.RESTMapping, k gitops.Key) (paths, error) {
	if err := gitops.CheckKey(k); err != nil {
		return paths{}, err
	}
	if k.Name == "" {
		return paths{}, gitops.Problemf(gitops.Invalid, "an object of kind %s without a name has no address", k.Kind)
	}
	collection, err := gitops.CollectionPath(m.Resource, k.Namespace)
	if err != nil {
		return paths{}, gitops.Problemf(gitops.Invalid, "cannot use %s: the cluster serves its kind as %q, and that has no address", k, m.Resource.String()).
			Do("look at what answers at the cluster's address")
	}
	namespaced := m.Scope.Name() == meta.RESTScopeNameNamespace
	if namespaced != (k.Namespace != "") {
		return paths{}, otherScope(k, namespaced)
	}
	return paths{object: collection + "/" + k.Name, collection: collection}, nil
}

// otherScope is the refusal of a kind that came while a sync ran, and is not
// what it was taken for. The next comparison knows better.
func otherScope(k gitops.Key, namespaced bool) error {
	is, was := "cluster-scoped", "namespaced"
	if namespaced {
		is, was = was, is
	}
	return gitops.Problemf(gitops.NotReady, "cannot use %s: its kind turned out to be %s, and was planned as %s, so the project has not been asked about it", k, is, was).
		Do("sync again")
}
