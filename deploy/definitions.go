package deploy

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Definitions are the CRDs as they are applied: without what the API server
// fills in. Ordered by name.
func Definitions() ([]*unstructured.Unstructured, error) {
	all, err := CRDs()
	if err != nil {
		return nil, err
	}
	out := make([]*unstructured.Unstructured, 0, len(all))
	for _, crd := range all {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(crd)
		if err != nil {
			return nil, fmt.Errorf("cannot read embedded definition %s: %w", crd.Name, err)
		}
		delete(content, "status")
		unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
		o := &unstructured.Unstructured{Object: content}
		o.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
		out = append(out, o)
	}
	return out, nil
}
