package bridge

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Setters reads from the bookkeeping of an API server who set each label and
// annotation. A key that several managers hold is that of the one who wrote
// last: who applies a value that is there already shares it.
func Setters(fields []metav1.ManagedFieldsEntry) map[Key]Setter {
	out := map[Key]Setter{}
	for i := range fields {
		entry := &fields[i]
		set, ok := keysOf(entry)
		if !ok {
			continue
		}
		note(out, Label, set.Metadata.Labels, entry)
		note(out, Annotation, set.Metadata.Annotations, entry)
	}
	return out
}

// keys are the labels and annotations of an entry, as an API server writes them.
type keys struct {
	Metadata struct {
		Labels      map[string]json.RawMessage `json:"f:labels,omitempty"`
		Annotations map[string]json.RawMessage `json:"f:annotations,omitempty"`
	} `json:"f:metadata"`
}

// keysOf is false where an entry says nothing of labels and annotations.
func keysOf(entry *metav1.ManagedFieldsEntry) (keys, bool) {
	var set keys
	if entry.FieldsV1 == nil || entry.Subresource != "" || json.Unmarshal(entry.FieldsV1.GetRawBytes(), &set) != nil {
		return keys{}, false
	}
	return set, len(set.Metadata.Labels)+len(set.Metadata.Annotations) > 0
}

// Held keeps of the bookkeeping what Setters and Holders read, for caches:
// most of it is about the content. The result is not to be written.
func Held(fields []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	var out []metav1.ManagedFieldsEntry
	for i := range fields {
		set, ok := keysOf(&fields[i])
		if !ok {
			continue
		}
		text, err := json.Marshal(set)
		if err != nil {
			continue // it was JSON a moment ago
		}
		entry := metav1.ManagedFieldsEntry{Manager: fields[i].Manager, Time: fields[i].Time, FieldsV1: &metav1.FieldsV1{}}
		entry.FieldsV1.SetRawBytes(text)
		out = append(out, entry)
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
			s.Time = gitops.Moment(entry.Time.Time)
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
