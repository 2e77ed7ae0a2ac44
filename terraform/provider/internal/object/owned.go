package object

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Owns tells whether a field is still the provider's: whoever writes another
// value takes it away. Path is as in the object, "data", "config".
func Owns(o *unstructured.Unstructured, path ...string) bool {
	for _, entry := range o.GetManagedFields() {
		if entry.Manager != Manager || entry.Operation != metav1.ManagedFieldsOperationApply || entry.FieldsV1 == nil {
			continue
		}
		var fields map[string]any
		if json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) == nil && holds(fields, path) {
			return true
		}
	}
	return false
}

func holds(fields map[string]any, path []string) bool {
	for _, p := range path {
		next, ok := fields["f:"+p].(map[string]any)
		if !ok {
			return false
		}
		fields = next
	}
	return true
}
