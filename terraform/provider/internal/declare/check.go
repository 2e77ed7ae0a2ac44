package declare

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// maxAnnotations is the API server's limit of all annotations of an object.
const maxAnnotations = 256 << 10 // bytes

// check refuses at plan what the API server would refuse at apply.
func check(o *unstructured.Unstructured) error {
	if o.GetName() == "" {
		return errors.New("the object has no name: set the attribute name, or metadata.name in manifest")
	}
	if wrong := validation.IsDNS1123Subdomain(o.GetName()); len(wrong) > 0 {
		return fmt.Errorf("%q cannot name an object: %s", o.GetName(), wrong[0])
	}
	labels, err := texts(o, "labels")
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if wrong := validation.IsQualifiedName(key); len(wrong) > 0 {
			return fmt.Errorf("%q cannot be the key of a label: %s", key, wrong[0])
		}
		if wrong := validation.IsValidLabelValue(labels[key]); len(wrong) > 0 {
			return fmt.Errorf("%q cannot be the value of label %s: %s. An annotation can hold any text", labels[key], key, wrong[0])
		}
	}
	annotations, err := texts(o, "annotations")
	if err != nil {
		return err
	}
	size := 0
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		// The API server compares the key without regard to case.
		if wrong := validation.IsQualifiedName(strings.ToLower(key)); len(wrong) > 0 {
			return fmt.Errorf("%q cannot be the key of an annotation: %s", key, wrong[0])
		}
		if key == object.LastApplied {
			return fmt.Errorf("the annotation %s is kubectl's, which keeps whole objects in it: leave it out", key)
		}
		size += len(key) + len(annotations[key])
	}
	if size > maxAnnotations {
		return fmt.Errorf("the annotations have %d bytes; an object has at most %d", size, maxAnnotations)
	}
	return nil
}

func texts(o *unstructured.Unstructured, field string) (map[string]string, error) {
	all, _, err := unstructured.NestedMap(o.Object, "metadata", field)
	if err != nil {
		return nil, fmt.Errorf("metadata.%s is no map", field)
	}
	out := map[string]string{}
	for key, v := range all {
		text, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("metadata.%s: the value of %s is no text: put it in quotes", field, key)
		}
		out[key] = text
	}
	return out, nil
}

// decode reads JSON with whole numbers kept whole, as the API server does.
func decode(raw []byte, into *map[string]any) error {
	var loose map[string]any
	if err := json.Unmarshal(raw, &loose); err != nil {
		return err
	}
	for key, e := range loose {
		loose[key] = whole(e)
	}
	*into = loose
	return nil
}

func whole(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, e := range v {
			v[key] = whole(e)
		}
	case []any:
		for i, e := range v {
			v[i] = whole(e)
		}
	case float64:
		if i := int64(v); float64(i) == v {
			return i
		}
	}
	return v
}
