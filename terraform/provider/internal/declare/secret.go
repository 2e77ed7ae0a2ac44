package declare

import (
	"encoding/base64"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

func isSecret(o *unstructured.Unstructured) bool {
	return o.GetKind() == "Secret" && o.GetAPIVersion() == "v1"
}

// sent is the object as it goes to the cluster: with the write-only values,
// and with data instead of stringData, which server-side apply cannot own.
func (w wanted) sent() *unstructured.Unstructured {
	o := w.object.DeepCopy()
	if !isSecret(o) {
		return o
	}
	data, _, _ := unstructured.NestedMap(o.Object, "data")
	if data == nil {
		data = map[string]any{}
	}
	texts, _, _ := unstructured.NestedStringMap(o.Object, "stringData")
	for _, from := range []map[string]string{texts, w.secrets} {
		for key, v := range from {
			data[key] = base64.StdEncoding.EncodeToString([]byte(v))
		}
	}
	delete(o.Object, "stringData")
	o.Object["data"] = data
	return o
}

// seen is a live object in the words of the attribute object.
func seen(live *unstructured.Unstructured) map[string]any {
	o := live.DeepCopy().Object
	delete(o, "status")
	if isSecret(live) {
		o["stringData"] = StringData(live)
	}
	return o
}

// StringData is the data of a Secret as text.
func StringData(live *unstructured.Unstructured) map[string]any {
	out := map[string]any{}
	for key := range object.Data(live) {
		out[key] = object.Text(live, key)
	}
	return out
}
