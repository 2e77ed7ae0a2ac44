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
	text, err := json.Marshal(patchOf(before, after))
	if err != nil {
		return nil // cannot happen: texts, numbers and lists of them
	}
	return trail.Changes(before, text)
}

// patchOf is the merge patch that makes one view of another: of a map that changes, what
// changes in it, and what goes.
func patchOf(before, after map[string]any) map[string]any {
	patch := map[string]any{}
	for name, value := range after {
		now, isMap := value.(map[string]any)
		old, wasMap := before[name].(map[string]any)
		switch {
		case reflect.DeepEqual(before[name], value):
		case isMap && wasMap:
			patch[name] = patchOf(old, now)
		default:
			patch[name] = value
		}
	}
	for name := range before {
		if _, stays := after[name]; !stays {
			patch[name] = nil
		}
	}
	return patch
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
