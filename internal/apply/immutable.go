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

// toldFields are the fields of which is told how they are in the cluster. Others are only
// named, as they may hold what was decrypted for an earlier sync, or another application's
// secret.
var toldFields = map[schema.GroupKind][]string{
	{Group: "apps", Kind: "DaemonSet"}:                               {"spec.selector"},
	{Group: "apps", Kind: "Deployment"}:                              {"spec.selector"},
	{Group: "apps", Kind: "ReplicaSet"}:                              {"spec.selector"},
	{Group: "apps", Kind: "StatefulSet"}:                             {"spec.selector", "spec.serviceName", "spec.podManagementPolicy"},
	{Group: "batch", Kind: "Job"}:                                    {"spec.completions", "spec.completionMode"},
	{Kind: "PersistentVolumeClaim"}:                                  {"spec.storageClassName", "spec.volumeName", "spec.volumeMode"},
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}: {"roleRef"},
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}:        {"roleRef"},
	{Group: "storage.k8s.io", Kind: "StorageClass"}:                  {"provisioner", "reclaimPolicy", "volumeBindingMode"},
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
	kind := kindOf(action).GroupKind()
	found := changes{prefixes: fixedPrefixes(kind, err), told: toldFields[kind]}
	found.of(live.Object, action.Desired.Object.Object)
	if len(found.shown) == 0 {
		return err
	}
	return &immutableError{err: err, changes: found.texts()}
}

// maxPrefixes bounds the fields that a refusal names and that are heeded.
const maxPrefixes = 50

// fixedPrefixes are the fields that a refusal can be about: those of the kind
// that are known, or those that the refusal names.
func fixedPrefixes(kind schema.GroupKind, err error) []string {
	if known := fixedFields[kind]; known != nil {
		return known
	}
	var named []string
	for _, cause := range causesOf(err) {
		if cause.Field != "" && len(named) < maxPrefixes {
			named = append(named, cause.Field)
		}
	}
	if named == nil {
		return []string{"spec", "roleRef"}
	}
	return named
}

// Bounds of what is shown of a change, in bytes: of its value, and of its path.
const (
	maxShown = 80
	maxPath  = 200
)

func short(v any) bool {
	switch v := v.(type) {
	case map[string]any, []any:
		return false
	case string:
		return len(v) <= maxShown
	}
	return true
}

// changes collects the fields with prefixes that a desired object wants otherwise.
// An object may have many, with long names one within another: only the
// first ones are written out.
type changes struct {
	prefixes []string
	told     []string // prefixes of those whose values are shown
	path     []string // where the walk is
	shown    []string
	more     int
}

// of walks the fields of desired, metadata and status left out. Lists are
// compared as a whole.
func (c *changes) of(live, desired map[string]any) {
	for _, field := range slices.Sorted(maps.Keys(desired)) {
		switch field {
		case "apiVersion", "kind", "metadata", "status":
			continue
		}
		c.field(field, live[field], desired[field])
	}
}

func (c *changes) field(name string, old, next any) {
	c.path = append(c.path, name)
	defer func() { c.path = c.path[:len(c.path)-1] }()
	a, isMapA := old.(map[string]any)
	b, isMapB := next.(map[string]any)
	if isMapA && isMapB {
		for _, key := range slices.Sorted(maps.Keys(b)) {
			c.field(key, a[key], b[key])
		}
		return
	}
	if !c.below(c.prefixes) || reflect.DeepEqual(old, next) {
		return
	}
	if len(c.shown) == maxChanges {
		c.more++
		return
	}
	c.shown = append(c.shown, c.text(old, next))
}

// text tells which field the walk is at, and what is wanted of it where that may be shown.
// Whole parts of objects are only named.
func (c *changes) text(old, next any) string {
	name := gitops.First(strings.Join(c.path, "."), maxPath)
	if !c.below(c.told) || !short(old) || !short(next) {
		return name
	}
	if old == nil {
		return fmt.Sprintf("%s (none, wanted %v)", name, next)
	}
	return fmt.Sprintf("%s (%v, wanted %v)", name, old, next)
}

// below reports whether the walk is at a field with one of some prefixes.
func (c *changes) below(prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return leadsTo(prefix, c.path) })
}

// leadsTo reports whether a path, whose parts are joined by dots, is a prefix or goes
// on with a dot after it.
func leadsTo(prefix string, path []string) bool {
	for i, part := range path {
		if i > 0 {
			if prefix == "" {
				return true
			}
			if prefix[0] != '.' {
				return false
			}
			prefix = prefix[1:]
		}
		rest, ok := strings.CutPrefix(prefix, part)
		if !ok {
			// A part may have dots in it.
			return len(part) > len(prefix) && part[len(prefix)] == '.' && strings.HasPrefix(part, prefix)
		}
		prefix = rest
	}
	return prefix == ""
}

func (c *changes) texts() []string {
	if c.more == 0 {
		return c.shown
	}
	return append(c.shown, gitops.More(c.more))
}

// fixed names the fields that would have to change, for people. What the refusal quotes of
// them is left out: an API server writes whole parts of the object as it is.
func fixed(err error) string {
	var explained *immutableError
	if errors.As(err, &explained) {
		return strings.Join(explained.changes, ", ")
	}
	var fields []string
	for _, cause := range causesOf(err) {
		if cause.Field != "" && cause.Field != "<nil>" && len(fields) < maxTold {
			fields = append(fields, cause.Field)
		}
	}
	if len(fields) > 0 {
		return strings.Join(fields, ", ")
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
