package generate

import (
	"reflect"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// normalized drops what means nothing: an empty syncPolicy, and an empty block
// of settings of a tool. It keeps automated: {} and retry: {}, which mean something.
func normalized(app *v1alpha1.Application) *v1alpha1.Application {
	out := app.DeepCopy()
	normalizeSpec(&out.Spec)
	return out
}

func normalizeSpec(spec *v1alpha1.ApplicationSpec) {
	if spec.Project == "" {
		spec.Project = v1alpha1.DefaultProject
	}
	if p := spec.SyncPolicy; p != nil && p.Automated == nil && len(p.SyncOptions) == 0 && p.Retry == nil && p.ManagedNamespaceMetadata == nil {
		spec.SyncPolicy = nil
	}
	if len(spec.Sources) == 0 && spec.Source != nil {
		normalizeSource(spec.Source)
	}
	for i := range spec.Sources {
		normalizeSource(&spec.Sources[i])
	}
}

func normalizeSource(s *v1alpha1.ApplicationSource) {
	if s.Kustomize != nil && emptyKustomize(*s.Kustomize) {
		s.Kustomize = nil
	}
	if s.Helm != nil && empty(*s.Helm) {
		s.Helm = nil
	}
	if s.Directory != nil && empty(*s.Directory) {
		s.Directory = nil
	}
}

// emptyKustomize is true for settings that only say how others are applied.
func emptyKustomize(k v1alpha1.ApplicationSourceKustomize) bool {
	k.ForceCommonLabels, k.ForceCommonAnnotations = false, false
	k.CommonAnnotationsEnvsubst, k.LabelWithoutSelector, k.LabelIncludeTemplates = false, false, false
	return empty(k)
}

// empty reports whether a struct has no field that is set; lists and maps
// without items are not.
func empty(s any) bool { return emptyValue(reflect.ValueOf(s)) }

func emptyValue(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		for i := range v.NumField() {
			if !emptyValue(v.Field(i)) {
				return false
			}
		}
		return true
	default:
		return v.IsZero()
	}
}
