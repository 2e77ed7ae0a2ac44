package applicationset

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// withdraw takes away an annotation that has done its work, and reports whether
// it did: a value that was written since, and the same one of a set that was made
// anew under the name, are somebody's later word and stay.
func (r *Reconciler) withdraw(ctx context.Context, set *v1alpha1.ApplicationSet, annotation, value string) (bool, error) {
	patch, err := withdrawn(set.UID, annotation, value)
	if err == nil {
		err = r.Client.Patch(ctx, set.DeepCopy(), client.RawPatch(types.JSONPatchType, patch))
	}
	if err != nil && !overtaken(err) {
		return false, fmt.Errorf("cannot take away the annotation %s: %w", annotation, err)
	}
	return err == nil, nil
}

// overtaken reports whether the set is gone or another one, or its annotation is, or
// has another value by now.
func overtaken(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsInvalid(err) || apierrors.IsConflict(err)
}

// withdrawn is a JSON patch that removes an annotation if it has a value, from
// the object of a UID alone.
func withdrawn(uid types.UID, annotation, value string) ([]byte, error) {
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value string `json:"value"`
	}
	path := "/metadata/annotations/" + gitops.PointerPart(annotation)
	return json.Marshal([]operation{{"test", "/metadata/uid", string(uid)}, {"test", path, value}, {Op: "remove", Path: path}})
}
