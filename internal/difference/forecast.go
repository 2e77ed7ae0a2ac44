package difference

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Foretell is what a server-side apply by a manager would make of a live
// object, where the API server cannot be asked because it refuses it. Defaults
// are not known, nor is who owns what afterwards: it has no managedFields. Where
// the kind has no schema here, what is no longer desired stays.
func Foretell(ctx context.Context, desired, live *unstructured.Unstructured, manager string) (*unstructured.Unstructured, error) {
	out, err := foretold(ctx, desired, live, manager)
	if err != nil {
		return nil, err
	}
	out.SetManagedFields(nil)
	return out, nil
}

func foretold(ctx context.Context, desired, live *unstructured.Unstructured, manager string) (*unstructured.Unstructured, error) {
	if err := sortable(desired, live); err != nil {
		return nil, err
	}
	if result, err := structured(ctx, desired, live, manager); err == nil {
		return (&unstructured.Unstructured{Object: result.Predicted}).DeepCopy(), nil
	}
	want, have, ok := typedPair(desired, live)
	if !ok {
		return nil, gitops.Problemf(gitops.Invalid, "cannot tell what would become of %s: it does not fit its schema", gitops.KeyOf(desired))
	}
	both, err := have.Merge(want)
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot tell what would become of %s: %w", gitops.KeyOf(desired), err)
	}
	return object(both, live).DeepCopy(), nil
}

// Split parts the fields of an entry of managedFields into those that are among
// some paths, and the others; nil where there are none.
func Split(entry metav1.ManagedFieldsEntry, paths *fieldpath.Set) (those, others *metav1.ManagedFieldsEntry, err error) {
	if paths.Empty() {
		return nil, &entry, nil
	}
	set, err := fieldsOf(entry)
	if err != nil {
		return nil, nil, err
	}
	those, err = withFields(entry, set.Intersection(paths))
	if err != nil {
		return nil, nil, err
	}
	others, err = withFields(entry, set.Difference(paths))
	return those, others, err
}

// withFields is an entry with other fields; nil where there are none.
func withFields(entry metav1.ManagedFieldsEntry, set *fieldpath.Set) (*metav1.ManagedFieldsEntry, error) {
	if set.Empty() {
		return nil, nil //nolint:nilnil // an entry without fields is none
	}
	text, err := set.ToJSON()
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot write the fields of manager %q: %w", entry.Manager, err)
	}
	out := entry
	out.FieldsV1 = metav1.NewFieldsV1(string(text))
	return &out, nil
}
