package preview

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/preview/object"
)

// ownFields are the fields of the Application itself that differ.
func ownFields(base, head *App) []forecast.Field {
	same := sameMeta(base.ObjectMeta, head.ObjectMeta) && reflect.DeepEqual(base.Spec, head.Spec) && reflect.DeepEqual(base.Operation, head.Operation)
	if same {
		return nil
	}
	return object.Fields(own(base), own(head))
}

// own is what people write of an Application.
func own(a *App) map[string]any {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(a.Application)
	if err != nil {
		return nil
	}
	delete(fields, "status")
	delete(fields, "apiVersion")
	delete(fields, "kind")
	if metadata, ok := fields["metadata"].(map[string]any); ok {
		delete(metadata, "namespace") // may be left to the default
	}
	return fields
}

// options are what comparing the objects of an application has to know.
func (p *pair) options() object.Options {
	a := p.any()
	force := false
	if s := a.Spec.SyncPolicy; s != nil {
		force = slices.Contains(s.SyncOptions, "Force=true")
	}
	return object.Options{Namespace: a.Spec.Destination.Namespace, Force: force, Hidden: p.hidden}
}
