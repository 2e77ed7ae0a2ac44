package difference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// schemas are the schemas of the built-in kinds, as the API server publishes them.
var schemas = sync.OnceValue(func() managedfields.TypeConverter {
	return applyconfigurations.NewTypeConverter(scheme.Scheme)
})

// structured predicts what a server-side apply by a manager makes of the live
// object: what others own stays, what the manager owned and no longer writes goes.
func structured(ctx context.Context, desired, live *unstructured.Unstructured, manager string) (Result, error) {
	if err := sortable(desired, live); err != nil {
		return Result{}, err
	}
	if err := mergeable(ctx, desired.GroupVersionKind(), desired, live); err != nil {
		return Result{}, err
	}
	want, err := schemas().ObjectToTyped(desired)
	if err != nil {
		return Result{}, gitops.Problemf(gitops.Invalid, "cannot compare by field ownership: %w", err)
	}
	have, err := schemas().ObjectToTyped(live)
	if err != nil {
		return Result{}, gitops.Problemf(gitops.Invalid, "cannot compare by field ownership: the live object: %w", err)
	}
	owners, err := ownersOf(live)
	if err != nil {
		return Result{}, err
	}
	updater := merge.Updater{Converter: sameVersion(desired.GetAPIVersion())} //nolint:staticcheck // there is no other way to give it one
	self := identity(metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationApply})
	after, _, err := updater.Apply(have, want, fieldpath.APIVersion(desired.GetAPIVersion()), owners, self, true)
	if err != nil {
		return Result{}, gitops.Problemf(gitops.Invalid, "cannot compare by field ownership: %w", err)
	}
	if after == nil { // nothing changes
		after = have
	}
	predicted, err := plain(ctx, after)
	if err != nil {
		return Result{}, err
	}
	now, err := plain(ctx, have)
	if err != nil {
		return Result{}, err
	}
	return verdict(now, predicted)
}

// plain is a typed value as JSON, with the defaults of its kind.
func plain(ctx context.Context, v *typed.TypedValue) ([]byte, error) {
	content, ok := v.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, errors.New("cannot compare: the object is no map")
	}
	o := &unstructured.Unstructured{Object: content}
	unstructured.RemoveNestedField(o.Object, "metadata", "annotations", gitops.AnnotationLastApplied)
	data, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the object: %w", err)
	}
	if data, err = defaulted(ctx, data, o.GroupVersionKind()); err != nil {
		return nil, err
	}
	return sorted(data)
}

// ownersOf reads who owns which fields of a live object.
func ownersOf(live *unstructured.Unstructured) (fieldpath.ManagedFields, error) {
	out := fieldpath.ManagedFields{}
	for _, entry := range live.GetManagedFields() {
		set, err := fieldsOf(entry)
		if err != nil {
			return nil, err
		}
		applied := entry.Operation == metav1.ManagedFieldsOperationApply
		out[identity(entry)] = fieldpath.NewVersionedSet(set, fieldpath.APIVersion(entry.APIVersion), applied)
	}
	return out, nil
}

func fieldsOf(entry metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	set := &fieldpath.Set{}
	if entry.FieldsV1 == nil {
		return set, nil
	}
	if err := set.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read the fields of manager %q: %w", entry.Manager, err)
	}
	return set, nil
}

// identity names the owner of an entry: one that applies is the same at every
// version, one that updates is not.
func identity(entry metav1.ManagedFieldsEntry) string {
	id := entry.Manager + "\x00" + string(entry.Operation) + "\x00" + entry.Subresource
	if entry.Operation == metav1.ManagedFieldsOperationApply {
		return id
	}
	return id + "\x00" + entry.APIVersion
}

// sameVersion converts nothing: fields that are owned in another version of
// the kind do not count.
type sameVersion fieldpath.APIVersion

var errOtherVersion = errors.New("another version")

func (s sameVersion) Convert(v *typed.TypedValue, to fieldpath.APIVersion) (*typed.TypedValue, error) {
	if to != fieldpath.APIVersion(s) {
		return nil, errOtherVersion
	}
	return v, nil
}

func (s sameVersion) IsMissingVersionError(err error) bool { return errors.Is(err, errOtherVersion) }
