package bootstrap

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/deploy"
)

// Definitions are the kinds that the engine reads, as they are applied.
func Definitions() ([]*unstructured.Unstructured, error) {
	all, err := deploy.CRDs()
	if err != nil {
		return nil, fmt.Errorf("cannot read the built-in definitions: %w", err)
	}
	out := make([]*unstructured.Unstructured, 0, len(all))
	for _, crd := range all {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(crd)
		if err != nil {
			return nil, fmt.Errorf("cannot read the built-in definition %s: %w", crd.Name, err)
		}
		delete(content, "status")
		o := &unstructured.Unstructured{Object: content}
		o.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
		unstructured.RemoveNestedField(o.Object, "metadata", "creationTimestamp")
		out = append(out, o)
	}
	return out, nil
}

// Namespace is the control namespace.
func Namespace(name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion("v1")
	o.SetKind("Namespace")
	o.SetName(name)
	return o
}
