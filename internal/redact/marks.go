package redact

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// mark is what stands for a masked value; another value of the same key is longer.
const mark = "++++++++"

// Marks replaces the values of a Secret's data, and of the annotations that are
// named, by marks: in the desired object, the live one, and what was last
// applied. Equal values of one key have equal marks. The objects are not
// changed; either may be nil.
func Marks(desired, live *unstructured.Unstructured, annotations []string) (_, _ *unstructured.Unstructured, err error) {
	desired, live = clone(desired), clone(live)
	var sides, unread []*unstructured.Unstructured
	origins := map[*unstructured.Unstructured]*unstructured.Unstructured{}
	for _, o := range []*unstructured.Unstructured{desired, live} {
		if o == nil {
			continue
		}
		sides = append(sides, o)
		if origin := gitops.LastApplied(o); origin != nil && isCore(origin) {
			origins[o] = origin
		} else {
			unread = append(unread, o)
		}
	}
	for _, o := range []*unstructured.Unstructured{live, desired} {
		if origin := origins[o]; origin != nil {
			sides = append(sides, origin)
		}
	}
	keys, err := secretKeys(sides)
	if err != nil {
		return nil, nil, err
	}
	if err := hide(sides, keys, "data"); err != nil {
		return nil, nil, err
	}
	// Nobody can tell what is secret in a copy that cannot be read.
	if err := hide(unread, []string{gitops.AnnotationLastApplied}, "metadata", "annotations"); err != nil {
		return nil, nil, err
	}
	if err := hide(sides, annotations, "metadata", "annotations"); err != nil {
		return nil, nil, err
	}
	for o, origin := range origins {
		if slices.Contains(annotations, gitops.AnnotationLastApplied) {
			break // it is a mark already
		}
		if err := putOrigin(o, origin); err != nil {
			return nil, nil, err
		}
	}
	return desired, live, nil
}

func isCore(o *unstructured.Unstructured) bool {
	return o.GetKind() == "Secret" && o.GroupVersionKind().Group == ""
}

// secretKeys folds stringData into data, and collects its keys.
func secretKeys(sides []*unstructured.Unstructured) ([]string, error) {
	keys := map[string]bool{}
	for _, o := range sides {
		if isCore(o) {
			gitops.NormalizeSecret(o)
		}
		for _, field := range []string{"data", "stringData"} {
			if data, ok := o.Object[field].(map[string]any); !ok && o.Object[field] != nil {
				return nil, fmt.Errorf("cannot mask %s: it is no map", field)
			} else if field == "data" {
				for key := range data {
					keys[key] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(keys)), nil
}

// putOrigin writes a masked last-applied object back.
func putOrigin(o, origin *unstructured.Unstructured) error {
	text, err := json.Marshal(origin)
	if err != nil {
		return fmt.Errorf("cannot encode what was last applied: %w", err)
	}
	annotations := o.GetAnnotations()
	annotations[gitops.AnnotationLastApplied] = string(text)
	o.SetAnnotations(annotations)
	return nil
}

func hide(sides []*unstructured.Unstructured, keys []string, fields ...string) error {
	for _, key := range keys {
		marks := map[string]string{}
		for _, o := range sides {
			if err := hideKey(o, key, marks, fields); err != nil {
				return err
			}
		}
	}
	return nil
}

func hideKey(o *unstructured.Unstructured, key string, marks map[string]string, fields []string) error {
	values, found, err := unstructured.NestedFieldNoCopy(o.Object, fields...)
	if err != nil || !found || values == nil {
		return nil //nolint:nilerr // it has none
	}
	data, ok := values.(map[string]any)
	if !ok {
		return fmt.Errorf("cannot mask %s: it is no map", strings.Join(fields, "."))
	}
	value, ok := data[key]
	if !ok {
		return nil
	}
	text := ""
	if value != nil {
		text = fmt.Sprint(value)
	}
	if marks[text] == "" {
		marks[text] = mark + strings.Repeat("++++", len(marks))
	}
	data[key] = marks[text]
	return nil
}

func clone(o *unstructured.Unstructured) *unstructured.Unstructured {
	if o == nil {
		return nil
	}
	return o.DeepCopy()
}
