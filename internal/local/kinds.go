package local

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
)

// A server needs a moment until it serves what was just defined.
const (
	servedPoll   = 100 * time.Millisecond
	servedWithin = 30 * time.Second
)

// kinds knows where objects of each kind are written to.
type kinds struct {
	mapper meta.ResettableRESTMapper
	// defined are those whose definitions were applied.
	defined map[schema.GroupKind]bool
}

// note remembers the kind that an object defines, if it does.
func (k *kinds) note(object *unstructured.Unstructured) {
	if of := object.GroupVersionKind(); of.Group != "apiextensions.k8s.io" || of.Kind != "CustomResourceDefinition" {
		return
	}
	group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(object.Object, "spec", "names", "kind")
	if k.defined == nil {
		k.defined = map[schema.GroupKind]bool{}
	}
	k.defined[schema.GroupKind{Group: group, Kind: kind}] = true
}

// mapping waits for a kind that was just defined: its objects may be written right
// after it. Any other that is not known is a mistake, which is told at once.
func (k *kinds) mapping(ctx context.Context, kind schema.GroupVersionKind) (*meta.RESTMapping, error) {
	found, err := k.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if !meta.IsNoMatchError(err) || !k.defined[kind.GroupKind()] {
		return found, err
	}
	waited := wait.PollUntilContextTimeout(ctx, servedPoll, servedWithin, true, func(context.Context) (bool, error) {
		k.mapper.Reset()
		found, err = k.mapper.RESTMapping(kind.GroupKind(), kind.Version)
		return !meta.IsNoMatchError(err), nil
	})
	if waited != nil && ctx.Err() != nil {
		return nil, waited
	}
	return found, err
}
