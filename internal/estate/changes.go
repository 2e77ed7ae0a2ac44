package estate

import (
	"encoding/json"
	"reflect"

	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// What the audit has instead of a secret.
const (
	isSet     = "(set)"
	isChanged = "(changed)"
)

// changesOf are the fields in which two public views differ.
func changesOf(before, after map[string]any) []audit.Change {
	patch := map[string]any{}
	for name, value := range after {
		if !reflect.DeepEqual(before[name], value) {
			patch[name] = value
		}
	}
	for name := range before {
		if _, stays := after[name]; !stays {
			patch[name] = nil
		}
	}
	text, err := json.Marshal(patch)
	if err != nil {
		return nil // cannot happen: texts, numbers and lists of them
	}
	return trail.Changes(before, text)
}

// plain is a value as maps and lists, without what is empty.
func plain(value any) map[string]any {
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	out := map[string]any{}
	if json.Unmarshal(text, &out) != nil {
		return nil
	}
	return out
}

// secretly adds which secrets there are, and which of them are others than before.
func secretly(view map[string]any, keys []string, now, before map[string][]byte) map[string]any {
	secrets := map[string]any{}
	for _, key := range keys {
		value, has := now[key]
		if !has || len(value) == 0 {
			continue
		}
		secrets[key] = isSet
		if old := before[key]; len(old) > 0 && string(old) != string(value) {
			secrets[key] = isChanged
		}
	}
	if len(secrets) > 0 {
		view["secrets"] = secrets
	}
	return view
}
