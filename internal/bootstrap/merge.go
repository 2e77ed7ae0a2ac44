package bootstrap

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ours are the keys of a field of an object that an earlier bootstrap wrote
// and nobody has taken over since. Path is as in "f:metadata", "f:labels".
func ours(entries []metav1.ManagedFieldsEntry, path ...string) map[string]bool {
	out := map[string]bool{}
	for _, entry := range entries {
		if entry.Manager != Manager || entry.Operation != metav1.ManagedFieldsOperationApply || entry.FieldsV1 == nil {
			continue
		}
		var fields map[string]any
		if json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
			continue
		}
		for _, p := range path {
			fields, _ = fields[p].(map[string]any)
		}
		for key := range fields {
			if len(key) > 2 && key[:2] == "f:" {
				out[key[2:]] = true
			}
		}
	}
	return out
}

// merged is what a bootstrap applies of labels, annotations or data: what is
// asked for now, what it wrote earlier and is not asked for any more, and
// defaults where nobody has said anything. Keys of others are left out, so
// that they stay theirs.
func merged[V any](live map[string]V, own map[string]bool, asked, defaults map[string]V) map[string]V {
	out := map[string]V{}
	for key, value := range defaults {
		if _, there := live[key]; !there {
			out[key] = value
		}
	}
	for key := range own {
		if value, there := live[key]; there {
			out[key] = value
		}
	}
	for key, value := range asked {
		out[key] = value
	}
	return out
}
