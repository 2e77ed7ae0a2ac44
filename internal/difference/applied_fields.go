package difference

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Applied are the fields of an object that a manager owns by server-side apply.
func Applied(o *unstructured.Unstructured, manager string) (*fieldpath.Set, error) {
	out := fieldpath.NewSet()
	for _, entry := range o.GetManagedFields() {
		if entry.Manager != manager || entry.Operation != metav1.ManagedFieldsOperationApply || entry.Subresource != "" {
			continue
		}
		set, err := fieldsOf(entry)
		if err != nil {
			return nil, err
		}
		out = out.Union(set)
	}
	return out, nil
}

// identifying are the fields that name an object: nobody owns them.
var identifying = fieldpath.NewSet(
	fieldpath.MakePathOrDie("apiVersion"), fieldpath.MakePathOrDie("kind"),
	fieldpath.MakePathOrDie("metadata", "name"), fieldpath.MakePathOrDie("metadata", "namespace"),
)

// Written are the fields that whoever applies a desired object owns afterwards.
// Lists count whole where the kind has no schema here.
func Written(desired, live *unstructured.Unstructured) (*fieldpath.Set, error) {
	if err := sortable(desired, live); err != nil {
		return nil, err
	}
	want, _, ok := typedPair(desired, live)
	if !ok {
		return nil, gitops.Problemf(gitops.Invalid, "cannot tell the fields of %s: it does not fit its schema", gitops.KeyOf(desired))
	}
	set, err := want.ToFieldSet()
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot tell the fields of %s: %w", gitops.KeyOf(desired), err)
	}
	return set.Difference(identifying), nil
}
