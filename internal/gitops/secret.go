package gitops

import (
	"encoding/base64"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// NormalizeSecret folds stringData into data, where it wins, and turns empty
// values into empty texts. A Secret that is none by its types stays as it is.
func NormalizeSecret(o *unstructured.Unstructured) {
	if texts, found, err := unstructured.NestedMap(o.Object, "stringData"); found && err == nil {
		data, _, _ := unstructured.NestedMap(o.Object, "data")
		if data == nil {
			data = map[string]any{}
		}
		for key, value := range texts {
			if text, ok := value.(string); ok {
				value = base64.StdEncoding.EncodeToString([]byte(text))
			}
			data[key] = value
		}
		o.Object["data"] = data
		delete(o.Object, "stringData")
	}
	var secret corev1.Secret
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &secret); err != nil || secret.Data == nil {
		return
	}
	if len(secret.Data) == 0 {
		o.Object["data"] = nil
		return
	}
	data := make(map[string]any, len(secret.Data))
	for key, value := range secret.Data {
		data[key] = base64.StdEncoding.EncodeToString(value)
	}
	o.Object["data"] = data
}

// AnnotationLastApplied is where client-side apply keeps its input.
const AnnotationLastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// LastApplied is what client-side apply was last given for an object; nil where
// that is not known.
func LastApplied(o *unstructured.Unstructured) *unstructured.Unstructured {
	text, ok := o.GetAnnotations()[AnnotationLastApplied]
	if !ok {
		return nil
	}
	var origin unstructured.Unstructured
	if json.Unmarshal([]byte(text), &origin) != nil {
		return nil
	}
	return &origin
}
