package bridge

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Setters reads from the bookkeeping of an API server who set each label and
// annotation. A key that several managers hold is that of the one who wrote
// last: who applies a value that is there already shares it.
func Setters(fields []metav1.ManagedFieldsEntry) map[Key]Setter {
	out := map[Key]Setter{}
	for i := range fields {
		entry := &fields[i]
		if entry.FieldsV1 == nil || entry.Subresource != "" {
			continue
		}
		var set struct {
			Metadata struct {
				Labels      map[string]json.RawMessage `json:"f:labels"`
				Annotations map[string]json.RawMessage `json:"f:annotations"`
			} `json:"f:metadata"`
		}
		if json.Unmarshal(entry.FieldsV1.GetRawBytes(), &set) != nil {
			continue // written by an API server: it says nothing of our keys
		}
		note(out, Label, set.Metadata.Labels, entry)
		note(out, Annotation, set.Metadata.Annotations, entry)
	}
	return out
}

func note(out map[Key]Setter, in Place, fields map[string]json.RawMessage, entry *metav1.ManagedFieldsEntry) {
	for field := range fields {
		name, ok := strings.CutPrefix(field, "f:")
		if !ok {
			continue
		}
		s := Setter{Manager: entry.Manager}
		if entry.Time != nil {
			s.Time = entry.Time.Time
		}
		key := Key{in, name}
		if had, ok := out[key]; !ok || s.Time.After(had.Time) {
			out[key] = s
		}
	}
}

// Holders are all managers of each key, for those who must not take a key away
// from another.
func Holders(fields []metav1.ManagedFieldsEntry) map[Key][]string {
	out := map[Key][]string{}
	for i := range fields {
		for key := range Setters(fields[i : i+1]) {
			out[key] = append(out[key], fields[i].Manager)
		}
	}
	return out
}
