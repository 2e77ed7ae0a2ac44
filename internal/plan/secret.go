package plan

import (
	"encoding/base64"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// foldSecret moves a Secret's stringData into data, where it wins, as the API
// server does when it stores one. An owned stringData would never be there in
// the live object: neither drift nor a change of it could be seen. What is no
// text is left for the API server to refuse.
func foldSecret(k gitops.Key, o *unstructured.Unstructured) {
	if k.Group != "" || k.Kind != "Secret" || o.Object["stringData"] == nil {
		return
	}
	texts, ok := o.Object["stringData"].(map[string]any)
	data, isMap := o.Object["data"].(map[string]any)
	if !ok || (!isMap && o.Object["data"] != nil) {
		return
	}
	folded := make(map[string]any, len(data)+len(texts))
	maps.Copy(folded, data)
	for key, value := range texts {
		text, isText := value.(string)
		if !isText {
			return
		}
		folded[key] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	delete(o.Object, "stringData")
	if len(folded) > 0 {
		o.Object["data"] = folded
	}
}
