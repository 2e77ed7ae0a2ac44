package difference

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// withoutManaged takes out of both sides the fields that differ and that an
// ignored manager owns. Where the kind has a schema, elements of lists count
// by their keys; elsewhere a list is one value.
func (r *Rules) withoutManaged(desired, live *unstructured.Unstructured) (_, _ *unstructured.Unstructured, err error) {
	if desired == nil || live == nil {
		return desired, live, nil
	}
	managers := r.managersOf(desired)
	if len(managers) == 0 {
		return desired, live, nil
	}
	if err := sortable(desired, live); err != nil {
		return nil, nil, err
	}
	want, have, ok := typedPair(desired, live)
	if !ok {
		return desired, live, nil
	}
	differs, err := have.Compare(want)
	if err != nil {
		return desired, live, nil //nolint:nilerr // what cannot be matched by its schema is compared as it is
	}
	for _, entry := range live.GetManagedFields() {
		if !slices.Contains(managers, entry.Manager) {
			continue
		}
		set, err := fieldsOf(entry)
		if err != nil {
			return nil, nil, err
		}
		if set = set.Intersection(differs.Modified); !set.Empty() {
			want, have = want.RemoveItems(set), have.RemoveItems(set)
		}
	}
	return object(want, desired), object(have, live), nil
}

func typedPair(desired, live *unstructured.Unstructured) (want, have *typed.TypedValue, ok bool) {
	want, err := schemas().ObjectToTyped(desired)
	if err == nil {
		have, err = schemas().ObjectToTyped(live)
		return want, have, err == nil
	}
	if hasSchema(desired) {
		return nil, nil, false
	}
	if want, err = typed.DeducedParseableType.FromUnstructured(desired.Object); err != nil {
		return nil, nil, false
	}
	have, err = typed.DeducedParseableType.FromUnstructured(live.Object)
	return want, have, err == nil
}

// hasSchema reports whether a kind is built in.
func hasSchema(o *unstructured.Unstructured) bool { return emptyOf(o) != nil }

func object(v *typed.TypedValue, was *unstructured.Unstructured) *unstructured.Unstructured {
	if content, ok := v.AsValue().Unstructured().(map[string]any); ok {
		return &unstructured.Unstructured{Object: content}
	}
	return was
}
