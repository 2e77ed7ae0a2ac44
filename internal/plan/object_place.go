package plan

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// placed is a manifest in its namespace, with what becomes of its drift. The
// error is of one for which nothing can be compared, the Fault of one that
// cannot be applied while others can.
func (s *Set) placed(m gitops.Manifest, scope gitops.Scope) (o Object, err error) {
	if m.Object.GetKind() == "" || m.Object.GetAPIVersion() == "" {
		return o, gitops.Problemf(gitops.Invalid, "cannot read an object without apiVersion and kind").At(m.Origin).Do("write both fields")
	}
	if err := checked(m, gitops.CheckKind(m.Object.GroupVersionKind())); err != nil {
		return o, err
	}
	o = Object{Manifest: m, Hook: ParseHook(m.Object.GetAnnotations())}
	o.Fault = checkName(m, o.Hook)
	o.Object = shallow(m.Object)
	if err := s.place(o.Manifest, scope); err != nil {
		return o, err
	}
	o.Key = gitops.KeyOf(o.Object)
	if err := checkKey(m, o.Key); err != nil {
		return o, err
	}
	if err := checkLists(m, o.Key); err != nil {
		return o, err
	}
	if o.Drift, err = s.driftFor(o.Object, o.Key); err != nil {
		return o, gitops.Problemf(gitops.Invalid, "cannot compare: %w", err).At(m.Origin)
	}
	return o, nil
}

// place fills in the destination's namespace, or takes away a namespace that
// does not belong. A kind that nobody knows counts as namespaced.
func (s *Set) place(m gitops.Manifest, scope gitops.Scope) error {
	gvk := m.Object.GroupVersionKind()
	namespaced, known := scope(gvk.Group, gvk.Kind)
	if known && !namespaced {
		unstructured.RemoveNestedField(m.Object.Object, "metadata", "namespace")
		return nil
	}
	if m.Object.GetNamespace() != "" {
		return nil
	}
	if s.namespace == "" && known {
		return gitops.Problemf(gitops.Invalid, "cannot place %s %q: it has no namespace and the application's destination has none", gvk.Kind, m.Object.GetName()).
			At(m.Origin).Do("set metadata.namespace of the object or spec.destination.namespace of the Application")
	}
	if s.namespace != "" {
		m.Object.SetNamespace(s.namespace)
	}
	return nil
}

// checkKey refuses names that would lead a request elsewhere, or are none.
func checkKey(m gitops.Manifest, k gitops.Key) error {
	for _, name := range []string{k.Name, m.Object.GetGenerateName()} {
		if err := checked(m, gitops.CheckKey(gitops.Key{Kind: k.Kind, Namespace: k.Namespace, Name: name})); err != nil {
			return err
		}
	}
	return nil
}

// checked tells of what is wrong with a manifest where that is.
func checked(m gitops.Manifest, err error) error {
	var p *gitops.Problem
	if errors.As(err, &p) {
		return p.At(m.Origin)
	}
	return err
}

func checkName(m gitops.Manifest, h Hook) error {
	kind := m.Object.GetKind()
	if m.Object.GetName() != "" {
		return nil
	}
	if m.Object.GetGenerateName() == "" {
		return gitops.Problemf(gitops.Invalid, "cannot apply a %s without a name", kind).At(m.Origin).
			Do("set metadata.name; quote it when YAML reads it as something else (n, no, 010)")
	}
	if h.Is || h.Skipped {
		return nil
	}
	return gitops.Problemf(gitops.Invalid, "cannot apply a %s with generateName %q: only hooks may have generated names", kind, m.Object.GetGenerateName()).
		At(m.Origin).Do("set metadata.name, or the annotation " + gitops.AnnotationHook)
}
