package plan

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// Diff is what a sync would change of one object, for people. What the API
// server keeps for itself, and the status, are left out; the values of
// Secrets are replaced by marks.
type Diff struct {
	Key     gitops.Key
	Changes []Change

	live, predicted map[string]any
}

// Change is one field that changes. Old is nil for a new field, New for one
// that goes.
type Change struct {
	// Path has the form spec.containers[name=web].image.
	Path     string
	Old, New any
}

// NewDiff compares a live object with what an apply would make of it. Either
// may be nil. Annotations of Secrets that are named have their values hidden, too.
func NewDiff(live, predicted *unstructured.Unstructured, hidden ...string) (Diff, error) {
	if live == nil && predicted == nil {
		return Diff{}, errors.New("cannot compare nothing with nothing")
	}
	key := keyOf(live, predicted)
	if key.Kind == "Secret" && key.Group == "" {
		var err error
		if predicted, live, err = redact.Marks(predicted, live, hidden); err != nil {
			return Diff{}, fmt.Errorf("cannot show %s: %w", key, err)
		}
	}
	d := Diff{Key: key, live: readable(live), predicted: readable(predicted)}
	d.Changes = compared(d.live, d.predicted)
	return d, nil
}

// compared are the fields that differ; one whole object where there is no other.
func compared(live, predicted map[string]any) []Change {
	switch {
	case live == nil:
		return []Change{{New: predicted}}
	case predicted == nil:
		return []Change{{Old: live}}
	}
	return changes(nil, "", live, predicted)
}

// Without is the difference with marks in place of texts that were decrypted.
func (d Diff) Without(known redact.Known) Diff {
	predicted, live := known.Sides(wrapped(d.predicted), wrapped(d.live))
	d.live, d.predicted = unwrapped(live), unwrapped(predicted)
	d.Changes = compared(d.live, d.predicted)
	return d
}

func wrapped(content map[string]any) *unstructured.Unstructured {
	if content == nil {
		return nil
	}
	return &unstructured.Unstructured{Object: content}
}

func unwrapped(o *unstructured.Unstructured) map[string]any {
	if o == nil {
		return nil
	}
	return o.Object
}

// ToldDiff is a difference that was made elsewhere: what it hides is hidden already.
func ToldDiff(key gitops.Key, changes []Change, live, predicted map[string]any) Diff {
	return Diff{Key: key, Changes: changes, live: live, predicted: predicted}
}

func keyOf(live, predicted *unstructured.Unstructured) gitops.Key {
	if predicted != nil {
		return gitops.KeyOf(predicted)
	}
	return gitops.KeyOf(live)
}

// Empty tells that nothing changes.
func (d Diff) Empty() bool { return len(d.Changes) == 0 }

// Unified is the difference as text, as diff -u prints it; empty when there is none.
func (d Diff) Unified() (string, error) {
	if d.Empty() {
		return "", nil
	}
	before, err := lines(d.live)
	if err != nil {
		return "", err
	}
	after, err := lines(d.predicted)
	if err != nil {
		return "", err
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: before, B: after, FromFile: "live " + d.Key.String(), ToFile: "desired " + d.Key.String(), Context: 3,
	})
	if err != nil {
		return "", fmt.Errorf("cannot print the difference of %s: %w", d.Key, err)
	}
	return text, nil
}

// Sides are both objects as YAML; empty for one that is not there.
func (d Diff) Sides() (live, predicted string, err error) {
	for _, side := range []struct {
		text *string
		of   map[string]any
	}{{&live, d.live}, {&predicted, d.predicted}} {
		if side.of == nil {
			continue
		}
		text, err := yaml.Marshal(side.of)
		if err != nil {
			return "", "", fmt.Errorf("cannot print %s: %w", d.Key, err)
		}
		*side.text = string(text)
	}
	return live, predicted, nil
}

func lines(o map[string]any) ([]string, error) {
	if o == nil {
		return nil, nil
	}
	text, err := yaml.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("cannot print an object: %w", err)
	}
	return difflib.SplitLines(strings.TrimSuffix(string(text), "\n")), nil
}

// readable copies an object without what no person writes.
func readable(o *unstructured.Unstructured) map[string]any {
	if o == nil {
		return nil
	}
	return difference.Content(o.Object)
}

// changes collects the fields that differ, in order of their paths.
func changes(out []Change, path string, old, next any) []Change {
	if reflect.DeepEqual(old, next) {
		return out
	}
	a, isMapA := old.(map[string]any)
	b, isMapB := next.(map[string]any)
	if isMapA && isMapB {
		return mapChanges(out, path, a, b)
	}
	listA, isListA := old.([]any)
	listB, isListB := next.([]any)
	if isListA && isListB {
		return listChanges(out, path, listA, listB)
	}
	return append(out, Change{Path: path, Old: old, New: next})
}

func mapChanges(out []Change, path string, a, b map[string]any) []Change {
	keys := slices.Collect(maps.Keys(a))
	for key := range b {
		if _, ok := a[key]; !ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		out = changes(out, join(path, key), a[key], b[key])
	}
	return out
}

func join(path, key string) string {
	if strings.ContainsAny(key, ".[]") {
		return fmt.Sprintf("%s[%q]", path, key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// listKeys are the fields that tell the elements of a list apart, best first.
var listKeys = []string{"name", "key", "containerPort", "port", "mountPath", "devicePath", "ip", "type", "uid"}

// listChanges matches the elements by a key where they have one, so that an
// element in the middle does not make all that follow look changed.
func listChanges(out []Change, path string, a, b []any) []Change {
	key := listKey(a, b)
	if key == "" {
		for i := range max(len(a), len(b)) {
			out = changes(out, fmt.Sprintf("%s[%d]", path, i), at(a, i), at(b, i))
		}
		return out
	}
	before, after := byKey(a, key), byKey(b, key)
	found := len(out)
	for _, item := range a {
		value := valueOf(item, key)
		out = changes(out, fmt.Sprintf("%s[%s=%v]", path, key, value), item, after[value])
	}
	for _, item := range b {
		value := valueOf(item, key)
		if _, was := before[value]; !was {
			out = append(out, Change{Path: fmt.Sprintf("%s[%s=%v]", path, key, value), New: item})
		}
	}
	if len(out) == found {
		// The same elements in another order.
		out = append(out, Change{Path: path, Old: a, New: b})
	}
	return out
}

func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func listKey(lists ...[]any) string {
	for _, key := range listKeys {
		if !slices.ContainsFunc(lists, func(list []any) bool { return !keyed(list, key) }) {
			return key
		}
	}
	return ""
}

// keyed tells whether a field tells all elements of a list apart.
func keyed(list []any, key string) bool {
	seen := make(map[any]bool, len(list))
	for _, item := range list {
		m, ok := item.(map[string]any)
		if !ok {
			return false
		}
		switch m[key].(type) {
		case string, int64, float64:
		default:
			return false
		}
		if seen[m[key]] {
			return false
		}
		seen[m[key]] = true
	}
	return true
}

func valueOf(item any, key string) any {
	m, _ := item.(map[string]any)
	return m[key]
}

func byKey(list []any, key string) map[any]any {
	out := make(map[any]any, len(list))
	for _, item := range list {
		out[valueOf(item, key)] = item
	}
	return out
}
