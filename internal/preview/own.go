package preview

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/preview/object"
)

// ownFields are the fields of the Application itself that differ.
func ownFields(base, head *App) []forecast.Field {
	before, after := own(base), own(head)
	if before == nil || after == nil {
		return nil
	}
	diff := object.Compare([]gitops.Manifest{{Object: before}}, []gitops.Manifest{{Object: after}}, object.Options{})
	if len(diff.Objects) == 0 {
		return nil
	}
	return diff.Objects[0].Fields
}

// own is an Application as an object, without what its maker fills in alike.
func own(a *App) *unstructured.Unstructured {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(a.Application)
	if err != nil {
		return nil
	}
	delete(fields, "status")
	out := &unstructured.Unstructured{Object: fields}
	out.SetAPIVersion("argoproj.io/v1alpha1")
	out.SetKind("Application")
	out.SetNamespace(a.ID.Namespace)
	return out
}

// options are what comparing the objects of an application has to know.
func (p *pair) options() object.Options {
	a := p.any()
	force := false
	if s := a.Spec.SyncPolicy; s != nil {
		force = slices.Contains(s.SyncOptions, "Force=true")
	}
	return object.Options{Namespace: a.Spec.Destination.Namespace, Force: force}
}
