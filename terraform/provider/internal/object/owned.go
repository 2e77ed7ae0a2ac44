package object

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// formerly are the field managers of Terraform's other providers, whose
// resources an import takes over.
var formerly = []string{"Terraform", "HashiCorp"}

// Owns reports whether a field is still the provider's: whoever writes another
// value takes it away. Path is as in the object, "data", "config".
func Owns(o *unstructured.Unstructured, path ...string) bool {
	return slices.ContainsFunc(o.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return applied(entry) && holds(owned(entry), path)
	})
}

// Written reports whether the provider wrote anything of an object.
func Written(o *unstructured.Unstructured) bool {
	return slices.ContainsFunc(o.GetManagedFields(), applied)
}

// applied tells what of an object is there by the provider's applies.
func applied(entry metav1.ManagedFieldsEntry) bool {
	return entry.Manager == Manager && entry.Operation == metav1.ManagedFieldsOperationApply
}

// WrittenBy names the field managers of an object, but for those of its status.
func WrittenBy(o *unstructured.Unstructured) string {
	var out []string
	for _, entry := range o.GetManagedFields() {
		if entry.Subresource == "" {
			out = append(out, entry.Manager)
		}
	}
	slices.Sort(out)
	return cmp.Or(strings.Join(slices.Compact(out), ", "), "somebody who gave no name")
}

// LastApplied is kubectl's own annotation. It holds the whole object, and of a
// Secret all that is secret in it.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Annotations are those of an object that may be told.
func Annotations(o *unstructured.Unstructured) map[string]string {
	out := o.GetAnnotations()
	delete(out, LastApplied)
	return out
}

// Mine is a live object with those labels and annotations alone that Terraform
// wrote. An import takes no others: a plan would show them as removed, and the
// apply would leave them.
func Mine(live *unstructured.Unstructured) *unstructured.Unstructured {
	var fields []map[string]any
	for _, entry := range live.GetManagedFields() {
		if entry.Manager == Manager || slices.Contains(formerly, entry.Manager) {
			fields = append(fields, owned(entry))
		}
	}
	out := live.DeepCopy()
	out.SetLabels(pick(live.GetLabels(), fields, "labels"))
	out.SetAnnotations(pick(Annotations(live), fields, "annotations"))
	return out
}

// Others is a live object without those labels, annotations and data that the
// provider alone wrote: what is left of it when an apply names none of them.
func Others(live *unstructured.Unstructured) *unstructured.Unstructured {
	var mine, theirs []map[string]any
	for _, entry := range live.GetManagedFields() {
		if applied(entry) {
			mine = append(mine, owned(entry))
			continue
		}
		theirs = append(theirs, owned(entry))
	}
	out := live.DeepCopy()
	for _, place := range [][]string{{"metadata", "labels"}, {"metadata", "annotations"}, {"data"}} {
		values, there, err := unstructured.NestedStringMap(out.Object, place...)
		if err != nil || !there {
			continue
		}
		maps.DeleteFunc(values, func(key, _ string) bool {
			path := append(slices.Clone(place), key)
			return held(mine, path) && !held(theirs, path)
		})
		_ = unstructured.SetNestedStringMap(out.Object, values, place...) // where it was read from
	}
	return out
}

// pick returns of values those that one of the fields has; nil for none.
func pick(values map[string]string, fields []map[string]any, path string) map[string]string {
	var out map[string]string
	for key, v := range values {
		if !held(fields, []string{"metadata", path, key}) {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[key] = v
	}
	return out
}

func owned(entry metav1.ManagedFieldsEntry) map[string]any {
	var fields map[string]any
	if entry.FieldsV1 == nil || json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
		return nil
	}
	return fields
}

// held reports whether one of several has a field.
func held(fields []map[string]any, path []string) bool {
	return slices.ContainsFunc(fields, func(f map[string]any) bool { return holds(f, path) })
}

func holds(fields map[string]any, path []string) bool {
	for _, p := range path {
		next, ok := fields["f:"+p].(map[string]any)
		if !ok {
			return false
		}
		fields = next
	}
	return true
}
