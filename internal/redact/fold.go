package redact

import (
	"encoding/base64"
	"strings"
)

// IsSecret reports whether an object is a Secret of Kubernetes.
func IsSecret(object map[string]any) bool {
	return object["kind"] == "Secret" && object["apiVersion"] == "v1"
}

// Fold joins data and stringData of a Secret into data with plain values, in
// place: what is in stringData wins, as on the API server. A value that is no
// base64 stays as it is written, and says so.
func Fold(secret map[string]any) {
	data := map[string]any{}
	written, there := secret["data"].(map[string]any)
	for k, v := range written {
		data[k] = decoded(v)
	}
	plain, too := secret["stringData"].(map[string]any)
	for k, v := range plain {
		data[k] = v
	}
	if there || too {
		secret["data"] = data
	}
	if too {
		delete(secret, "stringData")
	}
}

// noBase64 begins a value that is none: it differs from the same in stringData.
const noBase64 = "invalid base64: "

func decoded(v any) any {
	text, ok := v.(string)
	if !ok {
		return v
	}
	// base64 ignores line breaks, and Go's decoder does, too; blanks it does not.
	plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return noBase64 + text
	}
	return string(plain)
}
