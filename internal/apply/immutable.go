package apply

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// immutableTexts are what API servers say about fields that cannot change;
// there is no code for it.
var immutableTexts = []string{
	"is immutable", "may not change", "may not be changed", "updates to statefulset spec for fields other than",
	"cannot change roleRef", "updates to parameters are forbidden", "updates to provisioner are forbidden",
}

func immutable(err error) bool {
	if !apierrors.IsInvalid(err) && !apierrors.IsForbidden(err) && !apierrors.IsBadRequest(err) {
		return false
	}
	return slices.ContainsFunc(immutableTexts, func(s string) bool { return strings.Contains(err.Error(), s) })
}

// fixedFields are the fields of built-in kinds that cannot be changed, for
// those kinds whose refusal does not name the field.
var fixedFields = map[schema.GroupKind][]string{
	{Group: "apps", Kind: "StatefulSet"}: {"spec.selector", "spec.serviceName", "spec.volumeClaimTemplates", "spec.podManagementPolicy"},
	{Kind: "PersistentVolumeClaim"}:      {"spec.accessModes", "spec.storageClassName", "spec.volumeName", "spec.volumeMode", "spec.selector", "spec.dataSource", "spec.dataSourceRef"},
	{Kind: "ConfigMap"}:                  {"data", "binaryData", "immutable"},
	{Kind: "Secret"}:                     {"type", "data", "immutable"},
	{Group: "storage.k8s.io", Kind: "StorageClass"}: {
		"provisioner", "parameters", "reclaimPolicy", "volumeBindingMode",
	},
}

// immutableError adds to a refusal which fields would have to change.
type immutableError struct {
	err     error
	changes []string
}

func (e *immutableError) Error() string { return e.err.Error() }

// Unwrap returns the API server's refusal.
func (e *immutableError) Unwrap() error { return e.err }

// maxChanges bounds how many fields are told.
const maxChanges = 5

// explained finds out which fields a refusal is about. It costs a request, of
// a sync that has failed.
func (a *Applier) explained(ctx context.Context, c Cluster, p paths, action *gitops.Action, err error) error {
	if err == nil || !immutable(err) || action.Desired == nil {
		return err
	}
	live, readErr := a.get(ctx, c, p.object)
	if readErr != nil {
		return err
	}
	changes := changesOf(live.Object, action.Desired.Object.Object)
	prefixes := fixedPrefixes(kindOf(action).GroupKind(), err)
	changes = slices.DeleteFunc(changes, func(f fieldChange) bool { return !fixed(prefixes, f.path) })
	if len(changes) == 0 {
		return err
	}
	texts := make([]string, 0, maxChanges+1)
	for i, change := range changes {
		if i == maxChanges {
			texts = append(texts, fmt.Sprintf("and %d more", len(changes)-maxChanges))
			break
		}
		texts = append(texts, change.String())
	}
	return &immutableError{err: err, changes: texts}
}

// fixedPrefixes are the fields that a refusal can be about: those of the kind
// that are known, or those that the refusal names.
func fixedPrefixes(kind schema.GroupKind, err error) []string {
	if known := fixedFields[kind]; known != nil {
		return known
	}
	var named []string
	for _, cause := range causesOf(err) {
		if cause.Field != "" {
			named = append(named, cause.Field)
		}
	}
	if named == nil {
		return []string{"spec", "roleRef"}
	}
	return named
}

// fixed reports whether a field is one of those with prefixes.
func fixed(prefixes []string, path string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool {
		return path == prefix || strings.HasPrefix(path, prefix+".")
	})
}

// fieldChange is a field that the desired object wants otherwise.
type fieldChange struct {
	path      string
	old, next any
}

// String shows short values; whole parts of objects are only named.
func (f fieldChange) String() string {
	if !short(f.old) || !short(f.next) {
		return f.path
	}
	if f.old == nil {
		return fmt.Sprintf("%s (none, wanted %v)", f.path, f.next)
	}
	return fmt.Sprintf("%s (%v, wanted %v)", f.path, f.old, f.next)
}

const maxShown = 80

func short(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return len(fmt.Sprint(v)) <= maxShown
}

// changesOf lists the fields of desired that live has otherwise, metadata and
// status left out. Lists are compared as a whole.
func changesOf(live, desired map[string]any) []fieldChange {
	var out []fieldChange
	for _, field := range slices.Sorted(maps.Keys(desired)) {
		switch field {
		case "apiVersion", "kind", "metadata", "status":
			continue
		}
		out = below(out, field, live[field], desired[field])
	}
	return out
}

func below(out []fieldChange, path string, old, next any) []fieldChange {
	a, isMapA := old.(map[string]any)
	b, isMapB := next.(map[string]any)
	if !isMapA || !isMapB {
		if !reflect.DeepEqual(old, next) {
			out = append(out, fieldChange{path, old, next})
		}
		return out
	}
	for _, key := range slices.Sorted(maps.Keys(b)) {
		out = below(out, path+"."+key, a[key], b[key])
	}
	return out
}

// wanted tells the fields that would have to change, for people.
func wanted(err error) string {
	var explained *immutableError
	if !errors.As(err, &explained) {
		return ""
	}
	return ": " + strings.Join(explained.changes, ", ")
}
