package difference

import (
	"context"
	"encoding/json"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
)

// merged predicts what a three-way merge makes of the live object, and
// compares the two.
func merged(ctx context.Context, origin, desired, live *unstructured.Unstructured) (Result, error) {
	origin, desired = bare(origin), bare(desired)
	if scheme.Scheme.Recognizes(origin.GroupVersionKind()) {
		return mergedTyped(ctx, origin, desired, live)
	}
	side := &unstructured.Unstructured{Object: trimmed(origin.Object, live.Object)}
	before, after, now, err := encoded(origin, desired, side)
	if err != nil {
		return Result{}, err
	}
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(before, after, now)
	if err != nil {
		return Result{}, fmt.Errorf("cannot compare: %w", err)
	}
	whole, err := json.Marshal(live.Object)
	if err != nil {
		return Result{}, fmt.Errorf("cannot encode the live object: %w", err)
	}
	predicted, err := jsonpatch.MergePatch(whole, patch)
	if err != nil {
		return Result{}, fmt.Errorf("cannot compare: %w", err)
	}
	return verdict(whole, predicted)
}

// mergedTyped merges as the API server's strategic merge patch does: the Go
// type says which lists have keys. Defaults are filled in on both sides.
func mergedTyped(ctx context.Context, origin, desired, live *unstructured.Unstructured) (Result, error) {
	gvk := origin.GroupVersionKind()
	shape, err := scheme.Scheme.New(gvk)
	if err != nil {
		return Result{}, fmt.Errorf("cannot make a %s: %w", gvk, err)
	}
	meta, err := strategicpatch.NewPatchMetaFromStruct(shape)
	if err != nil {
		return Result{}, fmt.Errorf("cannot compare a %s: %w", gvk, err)
	}
	if err := mergeable(ctx, gvk, origin, desired, live); err != nil {
		return Result{}, err
	}
	before, after, now, err := encoded(origin, desired, withoutClaimDefaults(gvk, origin, live))
	if err != nil {
		return Result{}, err
	}
	patch, err := strategicpatch.CreateThreeWayMergePatch(before, after, now, meta, true)
	if err != nil {
		return Result{}, fmt.Errorf("cannot compare: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	whole, err := json.Marshal(live.Object)
	if err != nil {
		return Result{}, fmt.Errorf("cannot encode the live object: %w", err)
	}
	predicted, err := strategicpatch.StrategicMergePatch(whole, patch, shape)
	if err != nil {
		return Result{}, fmt.Errorf("cannot compare: %w", err)
	}
	if predicted, err = defaulted(ctx, predicted, gvk); err != nil {
		return Result{}, err
	}
	if whole, err = defaulted(ctx, whole, gvk); err != nil {
		return Result{}, err
	}
	return verdict(whole, predicted)
}

// defaulted fills in the defaults of a built-in kind. The Go type is asked for
// them alone: what it does not know stays in the object. One that does not fit
// the type has no defaults.
func defaulted(ctx context.Context, object []byte, gvk schema.GroupVersionKind) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	typed, err := scheme.Scheme.New(gvk)
	if err != nil || json.Unmarshal(object, typed) != nil {
		return object, nil //nolint:nilerr // compared as it is written
	}
	full := typed.DeepCopyObject()
	setDefaults(full)
	patch, err := between(typed, full)
	if err != nil {
		return nil, err
	}
	if object, err = strategicpatch.StrategicMergePatch(object, patch, typed); err != nil {
		return nil, fmt.Errorf("cannot fill in defaults: %w", err)
	}
	return sorted(object)
}

func between(a, b runtime.Object) ([]byte, error) {
	before, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the object: %w", err)
	}
	after, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the object: %w", err)
	}
	patch, err := strategicpatch.CreateTwoWayMergePatch(before, after, a)
	if err != nil {
		return nil, fmt.Errorf("cannot fill in defaults: %w", err)
	}
	return patch, nil
}

// sorted writes JSON with its keys in order.
func sorted(data []byte) ([]byte, error) {
	var content map[string]any
	if err := json.Unmarshal(data, &content); err != nil {
		return nil, fmt.Errorf("cannot read the object: %w", err)
	}
	return json.Marshal(content)
}

// withoutClaimDefaults drops from the claim templates of a StatefulSet what
// only live has: the API server fills them in as it does claims.
func withoutClaimDefaults(gvk schema.GroupVersionKind, origin, live *unstructured.Unstructured) *unstructured.Unstructured {
	if gvk.Kind != "StatefulSet" {
		return live
	}
	at := []string{"spec", "volumeClaimTemplates"}
	written, ok, err := unstructured.NestedSlice(origin.Object, at...)
	if !ok || err != nil {
		return live
	}
	have, ok, err := unstructured.NestedSlice(live.Object, at...)
	if !ok || err != nil {
		return live
	}
	out := live.DeepCopy()
	if unstructured.SetNestedSlice(out.Object, trimmedList(written, have), at...) != nil {
		return live
	}
	return out
}

// bare copies an object without its namespace, which live always has, and
// without an empty map of annotations.
func bare(o *unstructured.Unstructured) *unstructured.Unstructured {
	o = o.DeepCopy()
	metadata, ok := o.Object["metadata"].(map[string]any)
	if !ok {
		return o
	}
	delete(metadata, "namespace")
	annotations, is := metadata["annotations"].(map[string]any)
	if value, ok := metadata["annotations"]; ok && (value == nil || is && len(annotations) == 0) {
		delete(metadata, "annotations")
	}
	return o
}

func encoded(origin, desired, live *unstructured.Unstructured) (a, b, c []byte, err error) {
	out := [3][]byte{}
	for i, o := range []*unstructured.Unstructured{origin, desired, live} {
		if out[i], err = json.Marshal(o.Object); err != nil {
			return nil, nil, nil, fmt.Errorf("cannot encode the object: %w", err)
		}
	}
	return out[0], out[1], out[2], nil
}
