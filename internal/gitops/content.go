package gitops

import (
	"encoding/hex"
	"encoding/json"
	"maps"

	"github.com/zeebo/blake3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ContentOf hashes an object without its status and what the API server keeps
// for itself: it stays the same for as long as nobody changes what people mean
// by the object, whoever owns which field. It is empty for what is no JSON.
func ContentOf(o *unstructured.Unstructured) string {
	content := maps.Clone(o.Object)
	delete(content, "status")
	if metadata, ok := content["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		for _, field := range []string{"managedFields", "resourceVersion", "generation"} {
			delete(metadata, field)
		}
		content["metadata"] = metadata
	}
	text, err := json.Marshal(content)
	if err != nil {
		return ""
	}
	sum := blake3.Sum256(text)
	return hex.EncodeToString(sum[:])
}
