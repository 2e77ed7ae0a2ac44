package object

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"
)

// serverFields are filled in by the API server; in a manifest they mean nothing.
var serverFields = []string{"creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"}

// prepare copies an object as it is compared: without its status, what the
// API server keeps for itself, and nulls; numbers in one form; the data of a
// Secret as the API server keeps it.
func prepare(object map[string]any) map[string]any {
	out := clean(object)
	delete(out, "status")
	if metadata, ok := out["metadata"].(map[string]any); ok {
		for _, field := range serverFields {
			delete(metadata, field)
		}
	}
	if isSecret(out) {
		foldSecret(out)
	}
	return out
}

// clean copies a mapping: null is absent, numbers have one form.
func clean(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		if v = cleanValue(v); v != nil {
			out[k] = v
		}
	}
	return out
}

func cleanValue(v any) any {
	switch v := v.(type) {
	case nil, string, bool, int64:
		return v
	case map[string]any:
		return clean(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = cleanValue(v[i])
		}
		return out
	case int:
		return int64(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
		return v
	}
	return viaJSON(v)
}

// viaJSON brings values of other Go types into the few that YAML and JSON have.
func viaJSON(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var out any
	if json.Unmarshal(text, &out) != nil {
		return nil
	}
	return cleanValue(out)
}

// foldSecret joins data and stringData into data with plain values: what is
// in stringData wins, as on the API server. A value that is no base64 stays
// as it is written.
func foldSecret(secret map[string]any) {
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

func decoded(v any) any {
	text, ok := v.(string)
	if !ok {
		return v
	}
	// base64 ignores line breaks, and Go's decoder does, too; blanks it does not.
	plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return "invalid base64: " + text
	}
	return string(plain)
}
