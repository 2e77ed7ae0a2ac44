package plan

import (
	"cmp"
	"fmt"
	"maps"
	"path"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Want is what the desired set of an application is made of.
type Want struct {
	App *v1alpha1.Application
	// TrackingName is the application's name in tracking ids.
	TrackingName string
	// Tracking is how objects are marked.
	Tracking gitops.Tracking
	// Manifests in the order of sources and files. They are not changed.
	Manifests []gitops.Manifest
	Scope     gitops.Scope
	// Options are the sync options in force: those of the spec, or of an
	// operation that was written by hand.
	Options v1alpha1.SyncOptions
}

// Set is the desired state of an application, ready to be compared. It does
// not change; it may be kept as long as its input is the same.
type Set struct {
	// Objects without duplicates, in the order of the manifests.
	Objects []Object
	// Namespace is what CreateNamespace=true asks for, if anything.
	Namespace *Object
	// Warnings about repeated objects.
	Warnings []gitops.Warning

	tracking  string
	mark      gitops.Tracking
	namespace string
	options   gitops.Options
}

// Object is one desired object.
type Object struct {
	gitops.Manifest

	Key     gitops.Key
	Digest  string
	Wave    int
	Hook    Hook
	Options gitops.Options
	Ignore  gitops.Ignore

	defines groupKind
}

// Desired brings an application's manifests into the form in which they are
// compared and applied: namespaces filled in, repeated objects resolved, tracked.
func Desired(w Want) (*Set, error) {
	s := &Set{
		tracking:  w.TrackingName,
		mark:      w.Tracking.Owning(),
		namespace: w.App.Spec.Destination.Namespace,
		options:   ApplyOptions(DefaultOptions(), w.Options),
	}
	scope := scopeWith(w.Scope, w.Manifests)
	objects := make([]Object, 0, len(w.Manifests))
	for _, m := range w.Manifests {
		o, err := s.object(m, scope, w.App.Spec.IgnoreDifferences)
		if err != nil {
			return nil, err
		}
		objects = append(objects, o)
	}
	s.unique(objects)
	if err := s.createNamespace(w); err != nil {
		return nil, err
	}
	return s, nil
}

// Keys of all objects, the created Namespace included: what a caller has to
// look up in the cluster. Hooks with a generated name are not among them.
func (s *Set) Keys() []gitops.Key {
	keys := make([]gitops.Key, 0, len(s.Objects)+1)
	for i := range s.Objects {
		if s.Objects[i].Key.Name != "" {
			keys = append(keys, s.Objects[i].Key)
		}
	}
	if s.Namespace != nil {
		keys = append(keys, s.Namespace.Key)
	}
	return keys
}

func (s *Set) object(m gitops.Manifest, scope gitops.Scope, rules v1alpha1.IgnoreDifferences) (Object, error) {
	o := Object{Manifest: m, Hook: ParseHook(m.Object.GetAnnotations())}
	if err := checkName(m, o.Hook); err != nil {
		return Object{}, err
	}
	o.Object = shallow(m.Object)
	if err := s.place(o.Manifest, scope); err != nil {
		return Object{}, err
	}
	annotations := o.Object.GetAnnotations()
	o.Key = gitops.KeyOf(o.Object)
	o.Wave = WaveOf(annotations)
	o.Options = objectOptions(s.options, annotations)
	o.Ignore = ignoreFor(rules, o.Key)
	if isCRD(o.Key) {
		o.defines = definedBy(m.Object)
	} else {
		s.track(&o)
	}
	var err error
	if o.Digest, err = digest(o.Object.Object, o.Ignore); err != nil {
		return Object{}, gitops.Problemf(gitops.Invalid, "cannot read %s: %w", o.Key, err).At(m.Origin)
	}
	return o, nil
}

// track marks an object. As in Argo CD the id names the destination's
// namespace for cluster-scoped objects too, so both engines write the same.
// CustomResourceDefinitions carry none: they outlive the applications that bring them.
func (s *Set) track(o *Object) {
	key := o.Key
	key.Namespace = cmp.Or(key.Namespace, s.namespace)
	s.mark.Mark(o.Object, s.tracking, key)
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

func checkName(m gitops.Manifest, h Hook) error {
	kind := m.Object.GetKind()
	if kind == "" || m.Object.GetAPIVersion() == "" {
		return gitops.Problemf(gitops.Invalid, "cannot read an object without apiVersion and kind").At(m.Origin).Do("write both fields")
	}
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

// unique keeps the last of the objects with one key, and says so.
func (s *Set) unique(objects []Object) {
	last := make(map[gitops.Key]int, len(objects))
	count := make(map[gitops.Key]int, len(objects))
	for i := range objects {
		last[objects[i].Key] = i
		count[objects[i].Key]++
	}
	s.Objects = make([]Object, 0, len(last))
	for i := range objects {
		key := objects[i].Key
		if key.Name != "" && last[key] != i {
			continue
		}
		s.Objects = append(s.Objects, objects[i])
		if key.Name == "" || count[key] == 1 {
			continue
		}
		s.Warnings = append(s.Warnings, gitops.Warning{
			Reason:  "RepeatedResourceWarning",
			Message: fmt.Sprintf("%s appears %d times among the application's manifests; the last one wins", key, count[key]),
			Origin:  objects[i].Origin,
		})
	}
}

// ignoreFor joins the rules of an application that concern an object.
func ignoreFor(rules v1alpha1.IgnoreDifferences, k gitops.Key) gitops.Ignore {
	var out gitops.Ignore
	for _, r := range rules {
		if !globs(r.Group, k.Group) || !globs(r.Kind, k.Kind) || r.Name != "" && r.Name != k.Name || r.Namespace != "" && r.Namespace != k.Namespace {
			continue
		}
		out.JSONPointers = append(out.JSONPointers, r.JSONPointers...)
		out.JQ = append(out.JQ, r.JQPathExpressions...)
		out.Managers = append(out.Managers, r.ManagedFieldsManagers...)
	}
	return out
}

// globs matches a group or kind; neither can hold a slash.
func globs(pattern, s string) bool {
	ok, err := path.Match(pattern, s)
	return err == nil && ok
}

// shallow copies an object as deep as this package writes.
func shallow(o *unstructured.Unstructured) *unstructured.Unstructured {
	object := maps.Clone(o.Object)
	if metadata, ok := object["metadata"].(map[string]any); ok {
		object["metadata"] = maps.Clone(metadata)
	}
	return &unstructured.Unstructured{Object: object}
}
