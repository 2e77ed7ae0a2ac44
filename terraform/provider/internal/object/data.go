package object

import (
	"encoding/base64"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Data is the data of a Secret, in base64.
func Data(o *unstructured.Unstructured) map[string]string {
	data, _, _ := unstructured.NestedStringMap(o.Object, "data")
	return data
}

// Text is one value of a Secret's data.
func Text(o *unstructured.Unstructured, key string) string {
	text, err := base64.StdEncoding.DecodeString(Data(o)[key])
	if err != nil {
		return ""
	}
	return string(text)
}
