package declare

import (
	"encoding/base64"
	"slices"
	"strings"

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
	forget(o)
	if isSecret(live) {
		o["stringData"] = StringData(live)
	}
	return o
}

// concealed stands for a value that others wrote and nobody is to read.
const concealed = "(changed elsewhere, and not shown)"

// conceal takes out of what a refresh found in a Secret each value that the
// resource did not apply, unless its key is known to be no secret. That it is
// another one is seen all the same.
func (k Kind) conceal(found, applied map[string]any) {
	for _, place := range []string{"data", "stringData"} {
		values, _ := found[place].(map[string]any)
		before, _ := applied[place].(map[string]any)
		for key, v := range values {
			value, isText := v.(string)
			if !isText {
				continue
			}
			was, isText := before[key].(string)
			same := isText && value == was
			if place == "data" {
				value = decoded(value)
			}
			if !k.tells(key, value, same) {
				values[key] = concealed
			}
		}
	}
}

// tells reports whether a value of a live Secret may be in plans and in the state.
func (k Kind) tells(key, value string, same bool) bool {
	if k.Hides != nil && k.Hides(key, value) {
		return false
	}
	plain := slices.Contains(k.Plain, key)
	for _, f := range k.Fields {
		switch {
		case !strings.HasPrefix(f.Path, inSecret) || f.key() != key:
		case f.Standard != "":
			return sameText(value, f.Standard)
		case !f.WriteOnly:
			plain = true
		}
	}
	return plain || same
}

func decoded(value string) string {
	text, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return value
	}
	return string(text)
}

// forget takes kubectl's copy of the whole object out of its annotations.
func forget(o map[string]any) {
	unstructured.RemoveNestedField(o, "metadata", "annotations", object.LastApplied)
	dropEmpty(o, "annotations")
}

// StringData is the data of a Secret as text.
func StringData(live *unstructured.Unstructured) map[string]any {
	out := map[string]any{}
	for key := range object.Data(live) {
		out[key] = object.Text(live, key)
	}
	return out
}
