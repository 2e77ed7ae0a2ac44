package report

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// StatusFrom is a patch of the status alone, by what differs in it since before.
// It is refused for another object that was made under the name since. A merge patch
// cannot say that: of a patch of the status, API servers look at nothing else.
func StatusFrom(before client.Object) client.Patch { return statusPatch{before} }

type statusPatch struct{ before client.Object }

// Type implements client.Patch.
func (statusPatch) Type() types.PatchType { return types.JSONPatchType }

// Data implements client.Patch.
func (p statusPatch) Data(now client.Object) ([]byte, error) {
	was, err := statusOf(p.before)
	if err != nil {
		return nil, err
	}
	is, err := statusOf(now)
	if err != nil {
		return nil, err
	}
	changes, err := changed(was, is)
	if err != nil || len(changes) == 0 {
		return []byte("[]"), err
	}
	if p.before.GetUID() == "" {
		return json.Marshal(changes)
	}
	uid, err := json.Marshal(p.before.GetUID())
	if err != nil {
		return nil, err
	}
	return json.Marshal(slices.Insert(changes, 0, operation{Op: "test", Path: "/metadata/uid", Value: uid}))
}

// operation is one of a JSON patch.
type operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value,omitempty"`
}

// fields of a status. What is in them stays as it is encoded, long numbers, too.
type fields map[string]json.RawMessage

func statusOf(o client.Object) (fields, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	var has struct {
		Status fields `json:"status"`
	}
	err = json.Unmarshal(text, &has)
	// A time that is not set is encoded as null, and is no field that is there.
	maps.DeleteFunc(has.Status, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	return has.Status, err
}

// changed are the operations that make one status another. Each field is written
// whole; those that are the same are left to who else may have written them.
func changed(was, is fields) ([]operation, error) {
	if maps.EqualFunc(was, is, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		return nil, nil
	}
	if len(was) == 0 { // there may be none yet that a field could be added to
		whole, err := json.Marshal(is)
		return []operation{{Op: "add", Path: "/status", Value: whole}}, err
	}
	var all []operation
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if !bytes.Equal(was[name], is[name]) {
			all = append(all, operation{Op: "add", Path: "/status/" + name, Value: is[name]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, has := is[name]; !has { // added first: a field that is gone already must not refuse the rest
			all = append(all, operation{Op: "add", Path: "/status/" + name, Value: json.RawMessage("{}")}, operation{Op: "remove", Path: "/status/" + name})
		}
	}
	return all, nil
}
