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
	var sides []*unstructured.Unstructured
	origins := map[*unstructured.Unstructured]*unstructured.Unstructured{}
	for _, o := range []*unstructured.Unstructured{desired, live} {
		if o == nil {
			continue
		}
		sides = append(sides, o)
		if origin := gitops.LastApplied(o); origin != nil {
			origins[o] = origin
		}
	}
	for _, o := range []*unstructured.Unstructured{live, desired} {
		if origin := origins[o]; origin != nil {
			sides = append(sides, origin)
		}
	}
	if err := hide(sides, secretKeys(sides), "data"); err != nil {
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

// secretKeys folds stringData into data, and collects its keys.
func secretKeys(sides []*unstructured.Unstructured) []string {
	keys := map[string]bool{}
	for _, o := range sides {
		if o.GetKind() == "Secret" && o.GroupVersionKind().Group == "" {
			gitops.NormalizeSecret(o)
		}
		data, _ := o.Object["data"].(map[string]any)
		for key := range data {
			keys[key] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
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
