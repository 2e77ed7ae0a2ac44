package bootstrap

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Namespace is the control namespace.
func Namespace(name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion("v1")
	o.SetKind("Namespace")
	o.SetName(name)
	return o
}
