package difference

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Kubernetes' libraries take time by the square of a list with keys, and ask no
// context: an object is measured before they get it.
const (
	// maxPairs bounds the items that a strategic merge holds against each other:
	// those of one list of 1,000. It takes some seconds at worst.
	maxPairs = 1_000 * 1_000
	// maxMoves bounds what a comparison by schema moves as it sorts: the fields of
	// one map of 50,000, or a list of 12,500. It takes about a second.
	maxMoves = 50_000 * 50_000
	// movesPerItem are the fields of a map that cost as much as an item of a list.
	movesPerItem = 4
)

// square is the cost of an object, and the part of it that costs most.
type square struct {
	cost, longest int
	name          string
}

func (s *square) add(name string, length int) {
	s.cost += length * length
	if length > s.longest {
		s.name, s.longest = name, length
	}
}

func (s *square) String() string { return fmt.Sprintf("%d entries in %.60q", s.longest, s.name) }

// mergeable refuses objects of a kind that a strategic merge would take too long
// for. Kinds that are not built in have none.
func mergeable(ctx context.Context, kind runtimeschema.GroupVersionKind, sides ...*unstructured.Unstructured) error {
	shape, err := scheme.Scheme.New(kind)
	if err != nil {
		return nil //nolint:nilerr // a kind that is not built in
	}
	meta, err := strategicpatch.NewPatchMetaFromStruct(shape)
	if err != nil {
		return fmt.Errorf("cannot compare a %s: %w", kind, err)
	}
	for _, o := range sides {
		if err := ctx.Err(); err != nil {
			return err
		}
		var s square
		s.merging([]map[string]any{o.Object}, meta)
		if s.cost > maxPairs {
			return gitops.Problemf(gitops.Invalid, "%s is too long to be compared without a dry run, with %s: let the API server compare it, without ServerSideDiff=false and with an account that may patch it", gitops.KeyOf(o), &s)
		}
	}
	return nil
}

// merging adds the lists that are merged by key. Items with one key are merged
// into one, so their lists count together.
func (s *square) merging(same []map[string]any, meta strategicpatch.LookupPatchMeta) {
	maps, lists := map[string][]map[string]any{}, map[string][]any{}
	for _, m := range same {
		for key, child := range m {
			switch child := child.(type) {
			case map[string]any:
				maps[key] = append(maps[key], child)
			case []any:
				lists[key] = append(lists[key], child...)
			}
		}
	}
	for key, children := range maps {
		if below, _, err := meta.LookupPatchMetadataForStruct(key); err == nil {
			s.merging(children, below)
		}
	}
	for key, items := range lists {
		below, how, err := meta.LookupPatchMetadataForSlice(key)
		if err != nil || !slices.Contains(how.GetPatchStrategies(), "merge") {
			continue
		}
		s.add(key, len(items))
		for _, one := range byKey(items, how.GetPatchMergeKey()) {
			s.merging(one, below)
		}
	}
}

func byKey(items []any, key string) map[string][]map[string]any {
	out := map[string][]map[string]any{}
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			name := fmt.Sprint(m[key])
			out[name] = append(out[name], m)
		}
	}
	return out
}

// sortable refuses objects that a comparison by their schema would take too
// long for.
func sortable(sides ...*unstructured.Unstructured) error {
	for _, o := range sides {
		shape, of := typed.DeducedParseableType.Schema, typed.DeducedParseableType.TypeRef
		if empty := emptyOf(o); empty != nil {
			shape, of = empty.Schema(), empty.TypeRef()
		}
		var s square
		s.sorting("", o.Object, shape, of)
		if s.cost > maxMoves {
			return gitops.Problemf(gitops.Invalid, "%s is too long to be compared, with %s: split it, or ignore that field by ignoreDifferences", gitops.KeyOf(o), &s)
		}
	}
	return nil
}

// sorting adds what is sorted: maps, and lists whose items have keys.
func (s *square) sorting(name string, v any, shape *schema.Schema, of schema.TypeRef) {
	atom, ok := shape.Resolve(of)
	switch v := v.(type) {
	case map[string]any:
		if !ok || atom.Map == nil {
			return
		}
		s.add(name, len(v))
		for key, child := range v {
			below := atom.Map.ElementType
			if f, ok := atom.FindField(key); ok {
				below = f.Type
			}
			s.sorting(key, child, shape, below)
		}
	case []any:
		if !ok || atom.List == nil {
			return
		}
		if atom.List.ElementRelationship != schema.Atomic {
			s.add(name, movesPerItem*len(v))
		}
		for _, item := range v {
			s.sorting(name, item, shape, atom.List.ElementType)
		}
	}
}

// emptyOf is an empty object of a built-in kind; nil where the kind is another.
func emptyOf(o *unstructured.Unstructured) *typed.TypedValue {
	out, err := schemas().ObjectToTyped(&unstructured.Unstructured{Object: map[string]any{"apiVersion": o.GetAPIVersion(), "kind": o.GetKind()}})
	if err != nil {
		return nil
	}
	return out
}
